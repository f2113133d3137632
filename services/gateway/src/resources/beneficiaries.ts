import {
  ArchivedFilter,
  type Beneficiary,
  BeneficiaryKind,
  BeneficiarySchema,
  CreateCryptoBeneficiaryResponseSchema,
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  ListBeneficiariesRequestSchema,
  ListBeneficiariesResponseSchema,
  ScreeningStatus,
  UpdateBeneficiaryRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { updateBeneficiary } from "@disburse/forms/bodies/update-beneficiary.ts";
import { metadataKey } from "@disburse/kernel/metadata.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import {
  bodyFields,
  bodyRequest,
  get,
  patch,
  post,
  type Resource,
  remove,
} from "../openapi/route.ts";
import { storedValues, withStored } from "../openapi/stored-fields.ts";
import { createdBy } from "./parts/actor.ts";

/**
 * Returns the stored fields of the body without empty ones. The beneficiary service has masked the
 * values.
 */
function stored({ fields }: Pick<Beneficiary, "fields">): object {
  if (fields.case === "crypto") return storedValues(CryptoBeneficiaryFieldsSchema, fields.value);
  if (fields.case === "fiat") return storedValues(FiatBeneficiaryFieldsSchema, fields.value);
  return {};
}

/** A stored beneficiary (decisions §3). */
export const beneficiary = withStored(
  [cryptoBeneficiary, fiatBeneficiary],
  stored,
  f.record(
    BeneficiarySchema,
    "Beneficiary",
    "A stored beneficiary: the fields of its form, without document number and birth date.",
    {
      beneficiary_id: f.from("id", f.id("ben", "Beneficiary id.")),
      beneficiary_type: f.from("kind", f.word(BeneficiaryKind, "Type of the beneficiary.")),
      beneficiary_name: f.from(
        "name",
        f.text("Its name; of a person in fiat, first and last.", "Jane Doe"),
      ),
      beneficiary_account_number: f.from(
        "accountNumberMasked",
        f.text("Masked but for the last four characters.", "******7890"),
      ),
      transfer_method: f.oneOf("Payment method of the beneficiary.", [
        ...["CRYPTO", "SWIFT", "ACH", "LOCAL", "SEPA"],
      ]),
      screening_status: f.word(
        ScreeningStatus,
        "`pending` until it is screened. Only a `cleared` beneficiary can be paid; `review`: a person decides.",
      ),
      archived: f.flag("True if it is archived; new quotes for it are refused.", false),
      payable: f.from(
        ({ unpayableReason }) => unpayableReason === "",
        f.flag(
          "True if its payment method can carry its fields. A quote for a beneficiary that isn't payable is refused. Create it again with the fields that `unpayable_reason` names.",
          true,
        ),
      ),
      unpayable_reason: f.text(
        "The fields that its payment method cannot carry, with the limits; empty if it is payable.",
        "",
      ),
      ...createdBy,
      ...f.recordTimes,
    },
  ),
);

const created = f.record(
  CreateCryptoBeneficiaryResponseSchema,
  "CreatedBeneficiary",
  "The beneficiary that was stored.",
  {
    beneficiary_id: f.id("ben", "Beneficiary id."),
    existing_beneficiary_id: f.optional(
      f.id(
        "ben",
        "Your oldest earlier beneficiary with the same account or wallet that is not archived; omitted if there is none. Two creations at the same time may both omit it.",
      ),
    ),
  },
);

const validated = f.record(
  CreateCryptoBeneficiaryResponseSchema,
  "ValidatedBeneficiary",
  "Creation would accept the body.",
  { valid: f.from(() => true, f.flag("Always true: a body with an error is refused.", true)) },
);

const beneficiaryPage = f.pageOf(
  ListBeneficiariesResponseSchema,
  "BeneficiaryPage",
  "beneficiaries",
  beneficiary,
);

const listQuery = q.queryOf(ListBeneficiariesRequestSchema, {
  ...q.page,
  beneficiary_type: q.word(BeneficiaryKind, "Only beneficiaries that are paid this way.", "kind"),
  beneficiary_account_type: q.choice(
    ["Individual", "Corporate"],
    "Only beneficiaries of this type.",
    "accountType",
  ),
  destination_currency: q.token("Only beneficiaries of this currency."),
  screening_status: q.word(ScreeningStatus, "Only beneficiaries of this screening status."),
  archived: q.oneOf(
    { false: ArchivedFilter.EXCLUDED, true: ArchivedFilter.ONLY, any: ArchivedFilter.ANY },
    "`false` (the default): only those that are not archived; `true`: only archived ones; `any`: both.",
  ),
  beneficiary_name: q.text(
    "Only beneficiaries whose name or alias has all of these words, at most 10. Case, accents and word order don't matter. A word of 3 to 8 letters also finds longer words that begin with it.",
  ),
  reference_id: q.text("Only beneficiaries with this `reference_id`."),
  metadata: q.pairs(
    metadataKey,
    "Only beneficiaries with these pairs of key and value, at most 10: `metadata=cost_centre=EU-7`.",
  ),
  ...q.created,
});

export const createPaths = {
  crypto: "/api/v1/transfer/crypto/beneficiary",
  fiat: "/api/v1/transfer/fiat/beneficiary",
} as const;
const collection = "/api/v1/transfer/beneficiaries";
const refusals = [
  "RECORD_NOT_FOUND",
  "BENEFICIARY_CREATION_NOT_ALLOWED",
  "INVALID_REQUEST",
] as const;

function validation(kind: "crypto" | "fiat") {
  const wallet = kind === "crypto" ? " and the wallet's risk" : "";
  return {
    summary: `Validate ${kind} beneficiary`,
    description: `Checks the body${wallet} as creation does. Stores no beneficiary, screens no one and keeps no idempotency key.`,
    data: validated,
    isReadOnly: true,
  } as const;
}

export const beneficiaries: Resource = {
  scope: "beneficiary",
  tag: "Beneficiaries",
  components: [beneficiary, created, validated, beneficiaryPage],
  routes: [
    post("createCryptoBeneficiary", createPaths.crypto, {
      summary: "Create crypto beneficiary",
      description:
        "Registers a wallet to be paid. The wallet is checked before it is stored; its owner is screened afterwards. The response does not include the result of the screening: read `screening_status` before you request a quote; only a `cleared` beneficiary can be paid. List corridors returns what can be paid.",
      body: { form: cryptoBeneficiary },
      data: created,
      refusals: [...refusals, "INVALID_WALLET_ADDRESS", "RISK_ANALYSIS_FAILED"],
      answer: (call, { beneficiary }) =>
        beneficiary.createCryptoBeneficiary(bodyFields(call, CryptoBeneficiaryFieldsSchema)),
    }),
    post("validateCryptoBeneficiary", `${createPaths.crypto}/validate`, {
      ...validation("crypto"),
      body: { form: cryptoBeneficiary },
      refusals: [...refusals, "INVALID_WALLET_ADDRESS", "RISK_ANALYSIS_FAILED"],
      answer: (call, { beneficiary }) =>
        beneficiary.createCryptoBeneficiary({
          ...bodyFields(call, CryptoBeneficiaryFieldsSchema),
          validateOnly: true,
        }),
    }),
    post("createFiatBeneficiary", createPaths.fiat, {
      summary: "Create fiat beneficiary",
      description:
        "Registers a bank account to be paid. Its owner is screened after it is stored. The response does not include the result of the screening: read `screening_status` before you request a quote; only a `cleared` beneficiary can be paid.",
      body: { form: fiatBeneficiary },
      data: created,
      refusals,
      answer: (call, { beneficiary }) =>
        beneficiary.createFiatBeneficiary(bodyFields(call, FiatBeneficiaryFieldsSchema)),
    }),
    post("validateFiatBeneficiary", `${createPaths.fiat}/validate`, {
      ...validation("fiat"),
      body: { form: fiatBeneficiary },
      refusals,
      answer: (call, { beneficiary }) =>
        beneficiary.createFiatBeneficiary({
          ...bodyFields(call, FiatBeneficiaryFieldsSchema),
          validateOnly: true,
        }),
    }),
    get("listBeneficiaries", collection, {
      summary: "List beneficiaries",
      description: "Your beneficiaries, newest first; without archived ones by default.",
      query: listQuery,
      data: beneficiaryPage,
      answer: ({ request }, { beneficiary }) => beneficiary.listBeneficiaries(request),
    }),
    get("getBeneficiary", `${collection}/:beneficiaryId`, {
      summary: "Get beneficiary",
      description: "One beneficiary, archived or not.",
      data: beneficiary,
      answer: async ({ request }, { beneficiary }) =>
        (await beneficiary.getBeneficiary(request)).beneficiary,
    }),
    patch("updateBeneficiary", `${collection}/:beneficiaryId`, {
      summary: "Update beneficiary",
      description:
        "Changes your own data of a beneficiary: alias, e-mail address, reference and metadata. Only the fields that are sent change. No payment and no screening uses them, so `screening_status` stays. To change anything else, archive the beneficiary and create a new one.",
      body: { form: updateBeneficiary },
      data: beneficiary,
      answer: async (call, { beneficiary }) =>
        (await beneficiary.updateBeneficiary(bodyRequest(call, UpdateBeneficiaryRequestSchema)))
          .beneficiary,
    }),
    remove("archiveBeneficiary", `${collection}/:beneficiaryId`, {
      summary: "Archive beneficiary",
      description:
        "New quotes for it are refused (404); existing quotes can still be executed, and it remains readable.",
      data: beneficiary,
      answer: async ({ change }, { beneficiary }) =>
        (await beneficiary.archiveBeneficiary(change)).beneficiary,
    }),
  ],
};
