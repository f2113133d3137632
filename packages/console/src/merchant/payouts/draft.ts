import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useDraft } from "../../session/draft.ts";

export type Side = "source_amount" | "receiving_amount";

const blank = {
  accountId: "",
  side: "source_amount" as Side,
  typed: "",
  reference: "",
  remittance: "",
  day: "",
};

/** Returns the draft of a payout to a beneficiary. */
export const usePayoutDraft = ({ beneficiary_id: id }: Beneficiary) =>
  useDraft(`payout:${id}`, blank);
