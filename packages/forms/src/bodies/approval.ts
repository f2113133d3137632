import { type PublicBody, singleForm } from "../fields/field.ts";
import { textField } from "../fields/make.ts";

const digest = (record: string) =>
  textField(
    "digest",
    `\`approval.digest\` of the ${record} that you reviewed. If the ${record} has changed since then, the approval is refused. Without this field, the ${record} is approved in its current state.`,
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    { required: false, maxLength: 64 },
  );

export const approvePayout: PublicBody = singleForm({
  name: "approve_payout",
  description: "Approval of a payout.",
  fields: [digest("payout")],
});

export const approveScheduledPayout: PublicBody = singleForm({
  name: "approve_scheduled_payout",
  description: "Approval of a scheduled payout.",
  fields: [digest("scheduled payout")],
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
