import {
  type BeneficiaryLink,
  BeneficiaryLinkFieldsSchema,
  BeneficiaryLinkSchema,
  BeneficiaryLinkState,
  type CreateBeneficiaryLinkResponse,
  ListBeneficiaryLinksResponseSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
import { createBeneficiaryLink } from "@disburse/forms/bodies/beneficiary-link.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import * as f from "../../openapi/fields.ts";
import * as q from "../../openapi/query.ts";
import { bodyFields, get, post, type Resource, remove } from "../../openapi/route.ts";

const linkField = <
  Name extends Exclude<keyof Fields, "$typeName" | "$unknown" | "metadata" | "expiresInDays">,
>(
  name: Name,
  description: string,
  example: string,
) =>
  f.from(
    ({ fields }: Pick<BeneficiaryLink, "fields">) => fields?.[name] ?? "",
    f.text(description, example),
  );

type Fields = NonNullable<BeneficiaryLink["fields"]>;

const described = f.fields(BeneficiaryLinkSchema, {
  id: f.text("Link id.", "lnk_01hqz0000000000000000000ab"),
  state: f.word(
    BeneficiaryLinkState,
    "`open`: it can be used until `expires_at`. `used`: details were sent by it.",
  ),
  beneficiary_id: f.text(
    "The beneficiary that was made of it; otherwise empty. Read its `screening_status`.",
    "",
  ),
  failure_code: f.text(
    "Why none was made of what was sent, such as `RISK_ANALYSIS_FAILED`; otherwise empty.",
    "",
  ),
  destination_currency: linkField("destinationCurrency", "Currency that is paid.", "USD"),
  transfer_type: linkField("transferType", "As you asked for; otherwise empty.", "ACH"),
  network: linkField("network", "As you asked for; otherwise empty.", ""),
  beneficiary_account_type: linkField(
    "beneficiaryAccountType",
    "As you asked for; otherwise empty.",
    "Individual",
  ),
  beneficiary_name: linkField("beneficiaryName", "As you set it; otherwise empty.", ""),
  beneficiary_first_name: linkField(
    "beneficiaryFirstName",
    "As you set it; otherwise empty.",
    "Jane",
  ),
  beneficiary_last_name: linkField("beneficiaryLastName", "As you set it; otherwise empty.", "Doe"),
  beneficiary_name_latin: linkField(
    "beneficiaryNameLatin",
    "As you set it; otherwise empty.",
    "Jane Doe",
  ),
  reference_id: linkField("referenceId", "Your own reference.", "supplier-17"),
  metadata: f.from(
    ({ fields }) => fields?.metadata ?? {},
    f.pairs("Your own data, which its beneficiary gets.", metadataField.example),
  ),
  display_name: linkField(
    "displayName",
    "Name of the party on whose behalf you ask; empty if you set none.",
    "Shop",
  ),
  color: linkField("color", "Your colour; otherwise empty.", "#0a5c36"),
  expires_at: f.moment("Time from which it accepts no details."),
  ...f.recordTimes,
});

const link = f.component("BeneficiaryLink", "A link, without its URL.", described);

const linkWithUrl = f.component<
  Pick<CreateBeneficiaryLinkResponse, "link"> & { readonly url: string }
>("BeneficiaryLinkWithUrl", "A link with its URL, which is shown only here.", {
  ...f.within(({ link }) => link, described),
  url: f.from(
    ({ url }: { readonly url: string }) => url,
    f.secret(
      "URL that the beneficiary opens. Anyone who has it can send details once, so send it to the beneficiary alone.",
      "https://gateway.example/b/…",
    ),
  ),
});

const linkPage = f.pageOf(ListBeneficiaryLinksResponseSchema, "BeneficiaryLinkPage", "links", link);

const path = "/api/v1/beneficiary-links";

export const beneficiaryLinks: Resource = {
  scope: "beneficiary",
  tag: "Beneficiaries",
  components: [link, linkWithUrl, linkPage],
  routes: [
    post("createBeneficiaryLink", path, {
      summary: "Create beneficiary link",
      description:
        "Creates a link to a hosted page on which a beneficiary enters its own bank account or wallet, so you never handle it. The page requests the fields of the matching forms of Discover beneficiary forms, and names you as the requesting party. It accepts details once. They become a beneficiary of yours, which is screened like any other, and the link's `beneficiary_id`. The page doesn't show screening results.\n\nOnly this response contains the URL, which expires.",
      body: { form: createBeneficiaryLink },
      data: linkWithUrl,
      refusals: ["RECORD_NOT_FOUND", "BENEFICIARY_CREATION_NOT_ALLOWED", "INVALID_REQUEST"],
      answer: async (call, { beneficiary, pages }) => {
        const created = await beneficiary.createBeneficiaryLink(
          bodyFields(call, BeneficiaryLinkFieldsSchema),
        );
        return { link: created.link, url: pages.linkUrl(created.token) };
      },
    }),
    get("listBeneficiaryLinks", path, {
      summary: "List beneficiary links",
      description: "Newest first.",
      query: q.page,
      data: linkPage,
      answer: ({ request }, { beneficiary }) => beneficiary.listBeneficiaryLinks(request),
    }),
    get("getBeneficiaryLink", `${path}/:linkId`, {
      summary: "Get beneficiary link",
      description: "One link in its current state.",
      data: link,
      answer: async ({ request }, { beneficiary }) =>
        (await beneficiary.getBeneficiaryLink(request)).link,
    }),
    remove("revokeBeneficiaryLink", `${path}/:linkId`, {
      summary: "Revoke beneficiary link",
      description:
        "An open link takes no details any more. One that was used, or has expired, stays as it is.",
      data: link,
      answer: async ({ change }, { beneficiary }) =>
        (await beneficiary.revokeBeneficiaryLink(change)).link,
    }),
  ],
};
