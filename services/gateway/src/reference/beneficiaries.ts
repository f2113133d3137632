import { ArchivedFilter } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import { momentParameter, parameter, tokenParameter, wordParameter } from "../domain/list-query.ts";
import { beneficiaryKinds, meanings, screeningStatuses, wordsOf } from "../routes/words.ts";
import type { Endpoint } from "./endpoint.ts";
import { exampleOfSchema } from "./example.ts";
import { pageOf, pageQuery } from "./page.ts";
import { type Component, component, flag, id, recordTimes, ref, text, word } from "./schema.ts";
import { storedFields } from "./stored-fields.ts";

const stored = { ...storedFields(cryptoBeneficiary), ...storedFields(fiatBeneficiary) };

const always = {
  beneficiary_id: id("ben", "Beneficiary id."),
  beneficiary_type: word("How it is paid.", wordsOf(beneficiaryKinds)),
  beneficiary_name: text("Its name; of a person in fiat, first and last.", "Jane Doe"),
  beneficiary_account_number: text("Masked but for the last four characters.", "******7890"),
  transfer_method: word("How money is sent to it.", ["CRYPTO", "SWIFT", "ACH", "LOCAL"]),
  screening_status: word(
    "`pending` until it was screened. Only a `cleared` one can be paid; `review`: a person looks at it.",
    wordsOf(screeningStatuses),
  ),
  archived: flag("An archived one is not quoted any more.", false),
  ...recordTimes,
} as const;

const beneficiary = component(
  "Beneficiary",
  "A stored beneficiary: the fields of its form, without document number and birth date.",
  { ...stored, ...always },
  Object.keys(stored).filter((name) => !Object.hasOwn(always, name)),
);

const createdId = id("ben", "Beneficiary id; left out with `validate=true`.");

const createdFields = component(
  "CreatedBeneficiary",
  "A beneficiary that was stored; or, with `validate=true`, a body that would be.",
  {
    beneficiary_id: createdId,
    valid: {
      ...flag("With `validate=true`: the body would be taken; else left out.", true),
      enum: [true],
    },
  },
  ["beneficiary_id", "valid"],
);

/** Exactly one of its fields: an answer with neither tells a merchant nothing. */
const created: Component = {
  ...createdFields,
  schema: {
    ...createdFields.schema,
    minProperties: 1,
    maxProperties: 1,
    examples: [{ beneficiary_id: exampleOfSchema(createdId, new Map()) }],
  },
};

const beneficiaryPage = pageOf("BeneficiaryPage", "beneficiaries", ref(beneficiary));

const yesOrNo = wordParameter({ true: true, false: false });

/** What creating one takes in its query. */
export const createBeneficiaryQuery = {
  validate: parameter(
    yesOrNo,
    "`true` checks the body, and a wallet's risk, as creating does, and stores no beneficiary. Nobody is screened, and an idempotency key is not kept.",
  ),
} as const;

/** What the list takes in its query. */
export const listBeneficiariesQuery = {
  ...pageQuery,
  beneficiary_type: parameter(
    wordParameter(meanings(beneficiaryKinds)),
    "Beneficiaries that are paid this way alone.",
  ),
  beneficiary_account_type: parameter(
    wordParameter({ Individual: "Individual", Corporate: "Corporate" }),
    "Beneficiaries of this type alone.",
  ),
  destination_currency: parameter(tokenParameter, "Beneficiaries of this currency alone."),
  screening_status: parameter(
    wordParameter(meanings(screeningStatuses)),
    "Beneficiaries of this screening status alone.",
  ),
  archived: parameter(
    wordParameter({
      false: ArchivedFilter.EXCLUDED,
      true: ArchivedFilter.ONLY,
      any: ArchivedFilter.ANY,
    }),
    "`false`, or left out: those that are not archived; `true`: archived ones alone; `any`: both.",
  ),
  created_from: parameter(momentParameter, "Made at this time or later."),
  created_to: parameter(momentParameter, "Made before this time."),
} as const;

const collection = "/api/v1/transfer/beneficiaries";
const tag = "Beneficiaries";
const refusals = [
  "RECORD_NOT_FOUND",
  "BENEFICIARY_CREATION_NOT_ALLOWED",
  "INVALID_REQUEST",
] as const;

export const createCryptoEndpoint: Endpoint = {
  id: "createCryptoBeneficiary",
  method: "POST",
  path: "/api/v1/transfer/crypto/beneficiary",
  scope: "beneficiary:write",
  tag,
  summary: "Create crypto beneficiary",
  description:
    "Registers a wallet to be paid. The wallet is checked before it is stored, its owner is screened when it has been. The answer does not tell how the screening went: read `screening_status` before you quote; only a `cleared` beneficiary can be paid. What can be paid is what List corridors tells.",
  body: { form: cryptoBeneficiary },
  query: createBeneficiaryQuery,
  data: created,
  refusals: [...refusals, "INVALID_WALLET_ADDRESS", "RISK_ANALYSIS_FAILED"],
};

export const createFiatEndpoint: Endpoint = {
  id: "createFiatBeneficiary",
  method: "POST",
  path: "/api/v1/transfer/fiat/beneficiary",
  scope: "beneficiary:write",
  tag,
  summary: "Create fiat beneficiary",
  description:
    "Registers a bank account to be paid. Its owner is screened when it has been stored. The answer does not tell how the screening went: read `screening_status` before you quote; only a `cleared` beneficiary can be paid.",
  body: { form: fiatBeneficiary },
  query: createBeneficiaryQuery,
  data: created,
  refusals,
};

export const listBeneficiariesEndpoint: Endpoint = {
  id: "listBeneficiaries",
  method: "GET",
  path: collection,
  scope: "beneficiary:read",
  tag,
  summary: "List beneficiaries",
  description: "Your beneficiaries, newest first; without archived ones unless asked for.",
  query: listBeneficiariesQuery,
  data: beneficiaryPage,
  refusals: ["INVALID_REQUEST"],
};

export const getBeneficiaryEndpoint: Endpoint = {
  id: "getBeneficiary",
  method: "GET",
  path: `${collection}/:beneficiaryId`,
  scope: "beneficiary:read",
  tag,
  summary: "Get beneficiary",
  description: "One beneficiary, archived or not.",
  data: beneficiary,
  refusals: ["RECORD_NOT_FOUND"],
};

export const archiveBeneficiaryEndpoint: Endpoint = {
  id: "archiveBeneficiary",
  method: "DELETE",
  path: `${collection}/:beneficiaryId`,
  scope: "beneficiary:write",
  tag,
  summary: "Archive beneficiary",
  description:
    "It is not quoted any more (404); quotes made before still execute, and it stays readable.",
  data: beneficiary,
  refusals: ["RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const beneficiaryComponents = [beneficiary, created, beneficiaryPage];
