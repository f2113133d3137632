import {
  type UpdateBeneficiaryRequest,
  UpdateBeneficiaryRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { updateBeneficiary } from "@disburse/forms/bodies/update-beneficiary.ts";
import { selectedForm } from "@disburse/forms/checks/body.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { wholeBody } from "@disburse/forms/checks/read.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import { invalidRequest, isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import { type Fields, fieldsOf } from "../records/rules/private-fields.ts";
import type { Beneficiary } from "./rules/beneficiary.ts";

/** New values of a beneficiary's fields. `""` removes a field or a key of the metadata. */
export type Update = {
  readonly texts: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
};

type Invalid = Refused<"INVALID_REQUEST">;

/** Checks the sent fields by their form. */
export function readUpdate(message: UpdateBeneficiaryRequest, now: Date): Update | Invalid {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(
    updateBeneficiary,
    UpdateBeneficiaryRequestSchema,
    message,
    context,
  );
  if (isRefused(checked)) return checked;
  const { beneficiaryAlias: alias, beneficiaryEmail: email, referenceId: reference } = message;
  // The check leaves out empty texts, which remove a field here.
  const texts = {
    ...(alias !== undefined && { beneficiary_alias: checked.beneficiaryAlias ?? "" }),
    ...(email !== undefined && { beneficiary_email: checked.beneficiaryEmail ?? "" }),
    ...(reference !== undefined && { reference_id: checked.referenceId ?? "" }),
  };
  const { metadata } = checked;
  if (Object.keys(texts).length > 0 || Object.keys(metadata).length > 0) return { texts, metadata };
  const names = updateBeneficiary.unselected.fields.map(({ name }) => name).join(", ");
  return invalidRequest([{ field: wholeBody, problem: `must have at least one of ${names}` }]);
}

/** Applies an update to the stored fields. Refuses a body that its form would not accept. */
export function updatedFields(
  { kind, fields }: Pick<Beneficiary, "kind" | "fields">,
  { texts, metadata }: Update,
): Fields | Invalid {
  const form = selectedForm(kind === "crypto" ? cryptoBeneficiary : fiatBeneficiary, fields);
  const lost = form.fields.filter(({ name, required }) => required === true && texts[name] === "");
  if (lost.length > 0) {
    return invalidRequest(lost.map(({ name }) => ({ field: name, problem: "is required" })));
  }
  const merged = changedFields(fieldsOf(fields, "metadata"), metadata);
  const { name: field, maxItems, problem } = metadataField;
  if (Object.keys(merged).length > maxItems) return invalidRequest([{ field, problem }]);
  const { metadata: _, ...others } = fields;
  const changed = changedFields(others, texts);
  return Object.keys(merged).length === 0 ? changed : { ...changed, metadata: merged };
}

/** Sets the new values, and removes the names whose new value is empty. */
function changedFields(fields: Fields, changes: Readonly<Record<string, string>>): Fields {
  const all = Object.entries({ ...fields, ...changes });
  return Object.fromEntries(all.filter(([name]) => changes[name] !== ""));
}
