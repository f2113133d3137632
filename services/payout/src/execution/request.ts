import type { Mode } from "@disburse/chassis/settings.ts";
import type { ExecutePayoutRequest } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { checkBody } from "@disburse/forms/check-body.ts";
import { executePayout } from "@disburse/forms/transfer.ts";
import { type Refused, refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import { sandboxReferencePrefix } from "./rules/payable.ts";

/** The request's fields, checked by their form; every failing one is named. */
export function readExecuteRequest(
  message: ExecutePayoutRequest,
  mode: Mode,
  now: Date,
): { quoteId: string; referenceId: string } | Refused<"INVALID_REQUEST"> {
  const body = { quote_id: message.quoteId, reference_id: message.referenceId };
  const checked = checkBody(executePayout, body, { now, unreadable: message.unreadable });
  if (Array.isArray(checked)) return refused("INVALID_REQUEST", violationsMessage(checked));
  const { quote_id: quoteId, reference_id: referenceId } = checked.values;
  const reference = typeof referenceId === "string" ? referenceId : "";
  if (mode === "live" && reference.startsWith(sandboxReferencePrefix)) {
    return refused("INVALID_REQUEST", "reference_id: is reserved for the sandbox");
  }
  return { quoteId: typeof quoteId === "string" ? quoteId : "", referenceId: reference };
}
