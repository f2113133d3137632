import { type PublicBody, singleForm, type TextField } from "../fields/field.ts";
import { lengths, textField } from "../fields/make.ts";

const own = (
  name: string,
  description: string,
  example: string,
  more: Partial<TextField> = {},
): TextField => textField(name, description, example, { required: false, ...more });

/** The maximum length of base64 for 65,536 bytes. */
const logoTextMax = 87_384;

/** `PATCH /api/v1/merchant`. */
export const updateMerchantProfile: PublicBody = singleForm({
  name: "update_merchant_profile",
  description:
    "Changes to your company profile; at least one is required. An empty text removes a field.",
  needsField: true,
  fields: [
    own("legal_name", "Name in the register of companies.", "Acme Trading Limited"),
    own("address", "Street and number.", "1 Harbour Street"),
    own("city", "City.", "Dublin", { maxLength: lengths.alias }),
    own("state", "State or region.", "Leinster", { maxLength: lengths.alias }),
    own("postcode", "Postcode.", "D02 XY45", { maxLength: lengths.postcode }),
    own("country_code", "Country, ISO 3166-1.", "IE", {
      kind: "country",
      maxLength: lengths.country,
    }),
    own("registration_number", "Number in the register of companies.", "IE123456", {
      maxLength: lengths.businessId,
    }),
    own("contact_email", "Address for questions about payouts.", "finance@acme.example", {
      kind: "email",
      maxLength: lengths.email,
    }),
    own("website", "Your website, https.", "https://acme.example", {
      kind: "url",
      maxLength: lengths.url,
      pattern: { source: "^https://", problem: "must begin with https://" },
    }),
    own("color", "Colour of the pages of your beneficiary links.", "#0a5c36", {
      maxLength: 7,
      pattern: { source: "^#[0-9a-fA-F]{6}$", problem: "must be a colour such as #0a5c36" },
    }),
  ],
});

/** `POST /api/v1/merchant/logo`. The beneficiary service checks the image. */
export const setMerchantLogo: PublicBody = singleForm({
  name: "set_merchant_logo",
  description: "The logo of the pages of your beneficiary links.",
  fields: [
    textField(
      "png",
      "A PNG in base64: at most 65,536 bytes, 1,024 pixels wide and high, not animated.",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC",
      { maxLength: logoTextMax },
    ),
  ],
});
