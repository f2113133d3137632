import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useDraft } from "../../session/draft.ts";

/** Returns the draft of a payout to a beneficiary. */
export const usePayoutDraft = ({ beneficiary_id: id }: Beneficiary) =>
  useDraft(`payout:${id}`, { typed: "", reference: "", remittance: "" });
