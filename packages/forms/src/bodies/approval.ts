import { type PublicBody, singleForm } from "../fields/field.ts";
import { textField } from "../fields/make.ts";

export const approvePayout: PublicBody = singleForm({
  name: "approve_payout",
  description: "Approval of a payout.",
  fields: [
    textField(
      "digest",
      "`approval.digest` of the payout that you reviewed. If the payout has changed since then, the approval is refused. Without this field, the payout is approved in its current state.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      { required: false, maxLength: 64 },
    ),
  ],
});

const reason = (example: string) => textField("reason", "A note for your own team.", example);

export const rejectPayout: PublicBody = singleForm({
  name: "reject_payout",
  description: "Rejection of a payout that awaits approval.",
  fields: [reason("Invoice 1001 is disputed")],
});

export const rejectScheduledPayout: PublicBody = singleForm({
  name: "reject_scheduled_payout",
  description: "Rejection of a scheduled payout that awaits approval.",
  fields: [reason("Ordered with a key that leaked")],
});

export const rejectBatch: PublicBody = singleForm({
  name: "reject_batch",
  description: "Rejection of a batch that awaits approval.",
  fields: [reason("Line 17 is paid already")],
});
