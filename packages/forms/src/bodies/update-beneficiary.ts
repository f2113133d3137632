import { type PublicBody, singleForm } from "../fields/field.ts";
import { aliasField, emailField, metadataField, referenceField } from "../fields/make.ts";

/**
 * `PATCH /api/v1/transfer/beneficiaries/:id`. It has only fields that no payment and no screening
 * uses. The beneficiary service checks that at least one is sent.
 */
export const updateBeneficiary: PublicBody = singleForm({
  name: "update_beneficiary",
  description: "Changes to a beneficiary; at least one is required. An empty text removes a field.",
  needsField: true,
  fields: [
    {
      ...aliasField,
      description: "Nickname. An INR beneficiary can't be without one.",
    },
    emailField("beneficiary_email", "E-mail address."),
    referenceField,
    {
      ...metadataField,
      description: `The keys to set; a key with an empty value is removed, and other keys stay. ${metadataField.description}`,
    },
  ],
});
