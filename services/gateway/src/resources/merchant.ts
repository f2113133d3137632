import { Readable } from "node:stream";
import {
  MerchantLogoSchema,
  MerchantProfileSchema,
  UpdateMerchantProfileRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/merchant_profile_pb.ts";
import { setMerchantLogo, updateMerchantProfile } from "@disburse/forms/bodies/merchant-profile.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import * as f from "../openapi/fields.ts";
import {
  bodyRequest,
  type FileFormat,
  get,
  patch,
  post,
  type Resource,
  remove,
} from "../openapi/route.ts";
import { soundBody, textOf } from "./own-body.ts";

const logo = f.record(MerchantLogoSchema, "MerchantLogo", "A logo, a PNG.", {
  sha256: f.text(
    "SHA-256 of the image, in hexadecimal.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ),
  width: f.whole("Width in pixels.", 320),
  height: f.whole("Height in pixels.", 96),
});

const own = (description: string, example: string) =>
  f.text(`${description} Empty if you gave none.`, example);

const profile = f.record(
  MerchantProfileSchema,
  "MerchantProfile",
  "Your company. The platform has verified only `name`; the rest is what you have entered.",
  {
    id: f.from("merchantId", f.text("Your merchant id.", "mer_01hqz0000000000000000000ab")),
    name: f.text("The name that the operator registered. Only the operator changes it.", "acme"),
    legal_name: own("Name in the register of companies.", "Acme Trading Limited"),
    address: own("Street and number.", "1 Harbour Street"),
    city: own("City.", "Dublin"),
    state: own("State or region.", "Leinster"),
    postcode: own("Postcode.", "D02 XY45"),
    country_code: own("Country, ISO 3166-1.", "IE"),
    registration_number: own("Number in the register of companies.", "IE123456"),
    contact_email: own("Address for questions about payouts.", "finance@acme.example"),
    website: own("Your website.", "https://acme.example"),
    color: own("Colour of the pages of your beneficiary links.", "#0a5c36"),
    logo: f.from(
      (its) => its.logo,
      f.optional(f.ref(logo)) as f.Kind<f.Shape<typeof MerchantLogoSchema> | undefined>,
    ),
    updated_at: f.momentOrNone("When you last changed it; empty if you never did."),
  },
);

const logoFile: FileFormat = {
  mediaType: "image/png",
  name: "logo.png",
  description: "The image as you sent it.",
  example: "\u0089PNG\r\n",
};

const path = "/api/v1/merchant";

/** Base64 of 65,536 bytes, and space for the rest of the body. */
const logoBodyMax = 96 * 1024;

export const merchant: Resource = {
  scope: "merchant",
  tag: "Company profile",
  components: [logo, profile],
  routes: [
    get("getMerchant", path, {
      summary: "Get company profile",
      description: "What you keep about your company, and the look of your beneficiary links.",
      data: profile,
      answer: async ({ request }, { beneficiary }) =>
        (await beneficiary.getMerchantProfile(request)).profile,
    }),
    patch("updateMerchant", path, {
      summary: "Update company profile",
      description:
        "Changes what you keep about your company. Only the fields that are sent change; an empty text removes one. The operator's registered `name` stays. The pages of beneficiary links have your `color`, unless a link has its own; the text on it is black or white, whichever is easier to read.",
      body: { form: updateMerchantProfile },
      data: profile,
      answer: async (call, { beneficiary }) =>
        (
          await beneficiary.updateMerchantProfile(
            bodyRequest(call, UpdateMerchantProfileRequestSchema),
          )
        ).profile,
    }),
    post("setMerchantLogo", `${path}/logo`, {
      summary: "Set logo",
      description:
        "Sets the logo of the pages of your beneficiary links. It is public: everyone with such a link sees it.",
      body: { form: setMerchantLogo, large: { bytesMax: logoBodyMax, keysMax: 10 } },
      data: profile,
      answer: async (call, { beneficiary }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const png = textOf(values, "png");
        return (await beneficiary.setMerchantLogo({ ...call.change, png })).profile;
      },
    }),
    remove("removeMerchantLogo", `${path}/logo`, {
      summary: "Remove logo",
      description: "Removes the logo of the pages of your beneficiary links.",
      data: profile,
      answer: async ({ change }, { beneficiary }) =>
        (await beneficiary.setMerchantLogo(change)).profile,
    }),
    get("getMerchantLogo", `${path}/logo.png`, {
      summary: "Get logo",
      description: "The logo of the pages of your beneficiary links.",
      data: logoFile,
      refusals: ["RECORD_NOT_FOUND"],
      answer: async ({ request }, { beneficiary }) => {
        const { png } = await beneficiary.getMerchantLogo(request);
        return Readable.from([png], { objectMode: false });
      },
    }),
  ],
};
