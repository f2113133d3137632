import { create, fromJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { pageLimitMax, readLimit } from "@disburse/chassis/paging/page.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryForm as BeneficiaryFormMessage,
  BeneficiaryFormSchema,
  type ListBeneficiaryFormsRequest,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import {
  ArchivedFilter,
  BeneficiaryKind,
  type Beneficiary as BeneficiaryMessage,
  BeneficiarySchema,
  type BeneficiaryService,
  CreateCryptoBeneficiaryRequestSchema,
  CreateFiatBeneficiaryRequestSchema,
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  type GetPaymentInstructionResponse,
  GetPaymentInstructionResponseSchema,
  type ListBeneficiariesRequest,
  type ListUnpayableBeneficiariesRequest,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { carriedProblems } from "@disburse/forms/bodies/carried.ts";
import { cryptoBeneficiary as cryptoForm } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { fiatBeneficiary as fiatForm } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import {
  type BeneficiaryForm,
  beneficiaryForms,
  type FormChoice,
} from "@disburse/forms/describe/discovery.ts";
import { isNetwork } from "@disburse/forms/values/networks.ts";
import { checkWalletAddress } from "@disburse/forms/values/wallet-address.ts";
import { isId } from "@disburse/kernel/id.ts";
import {
  invalidCursor,
  type Refused,
  refused,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import { type Creation, type CreationDeps, createRecord } from "../creation/creation.ts";
import { partyType, readFilter, type Wanted, wantedWord } from "../records/list-request.ts";
import { type Fields, textOf } from "../records/rules/private-fields.ts";
import type { PartyWallet } from "../records/rules/screening.ts";
import type { Opened } from "../records/store.ts";
import { destinationKeys } from "./destination.ts";
import {
  accountNumberOf,
  type Beneficiary,
  latinNameOf,
  newCryptoBeneficiary,
  newFiatBeneficiary,
  payeeAddress,
  routingOf,
  shownFields,
} from "./rules/beneficiary.ts";
import { wantedTerms } from "./rules/search-terms.ts";
import { type Hashes, wantedEntries } from "./search.ts";
import { type BeneficiaryStore, beneficiaryDocument } from "./store.ts";
import { readUpdate, updatedFields } from "./update.ts";

/** The beneficiaries to read per page. Decrypting 1,000 bodies takes about 10 ms. */
const examined = { byDefault: 500, max: 1_000 } as const;

export type BeneficiaryDeps = CreationDeps & {
  readonly beneficiaries: BeneficiaryStore;
  readonly watchPrimary: Database["watchPrimary"];
  readonly hashes: Hashes;
};

/** The maximum documents of one read, which takes the database about 10 ms. */
const resolvedMax = 1_000;

const notFound = refused("RECORD_NOT_FOUND");

const tooMany = (max: number) =>
  refused("INVALID_REQUEST", `beneficiary_ids: must have at most ${max} entries`);

export function beneficiariesRpc(deps: BeneficiaryDeps) {
  const { beneficiaries } = deps;
  return {
    ...readsOfMany(deps),

    createCryptoBeneficiary: async (request) =>
      created(beneficiaries, await createRecord(deps, beneficiaries, cryptoCreation, request)),
    createFiatBeneficiary: async (request) =>
      created(beneficiaries, await createRecord(deps, beneficiaries, fiatCreation, request)),

    getBeneficiary: async ({ merchantId, beneficiaryId }) => {
      const found = await beneficiaries.open(merchantId, beneficiaryId);
      const opened = orThrow(found ?? notFound);
      return {
        beneficiary: beneficiaryMessage(opened.record),
        destinationKeys: destinationKeys(deps.hashes.destinations, opened),
      };
    },

    getBeneficiaryStatus: async ({ merchantId, beneficiaryId }) => {
      const { screening, createdAt, ...rest } = orThrow(
        (await beneficiaries.status(merchantId, beneficiaryId)) ?? notFound,
      );
      const screeningStatus = enumValue(ScreeningStatus, screening);
      return { ...rest, screeningStatus, createdAt: timestampFromDate(createdAt) };
    },

    listBeneficiaries: async (message) => {
      const wanted = orThrow(wantedTerms(message));
      const search = wantedEntries(deps.hashes, message.merchantId, wanted);
      const filter = { ...orThrow(readBeneficiaryFilter(message)), search };
      const { shown, ...rest } = await beneficiaries.list(message.merchantId, filter, message);
      return { beneficiaries: shown.map(beneficiaryMessage), ...rest };
    },

    listUnpayableBeneficiaries: (request) => listUnpayable(beneficiaries, request),

    updateBeneficiary: async (message) => {
      const { mutation, merchantId, beneficiaryId: id } = message;
      const change = readMutation(mutation);
      const now = deps.clock.now();
      const update = orThrow(readUpdate(message, now));
      const updated = await beneficiaries.update(
        { merchantId, id },
        (stored) => updatedFields(stored, update),
        change,
        now,
      );
      return { beneficiary: beneficiaryMessage(orThrow(updated ?? notFound)) };
    },

    archiveBeneficiary: async ({ mutation, merchantId, beneficiaryId: id }) => {
      const change = readMutation(mutation);
      const archived = await beneficiaries.archive({ merchantId, id }, change, deps.clock.now());
      return { beneficiary: beneficiaryMessage(orThrow(archived ?? notFound)) };
    },

    getPaymentInstruction: async ({ merchantId, beneficiaryId }) => {
      const found = await beneficiaries.open(merchantId, beneficiaryId);
      return paymentInstruction(orThrow(found ?? notFound));
    },

    listBeneficiaryForms: async (request) => ({
      forms: beneficiaryForms(formChoice(request), deps.allowed).map(formMessage),
    }),
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

/** The RPCs that read several beneficiaries by their ids. */
function readsOfMany(deps: BeneficiaryDeps) {
  const { beneficiaries } = deps;
  return {
    getBeneficiaries: async ({ merchantId, beneficiaryIds: ids }) => {
      if (ids.length > pageLimitMax) {
        orThrow(tooMany(pageLimitMax));
      }
      return {
        beneficiaries: (await beneficiaries.readAll(merchantId, ids)).map(beneficiaryMessage),
      };
    },

    listPayees: async ({ merchantId, beneficiaryIds: ids }) => {
      if (ids.length > resolvedMax) orThrow(tooMany(resolvedMax));
      const prove = deps.watchPrimary();
      const found = await beneficiaries.openAll(merchantId, ids);
      // A missing id is a final refusal for the caller, so its absence needs proof.
      if (found.length < new Set(ids).size) await prove();
      const payees = found.map((opened) => payeeMessage(deps, opened));
      return { payees: payees.filter((each) => each !== undefined) };
    },

    listBeneficiaryCurrencies: async ({ merchantId, beneficiaryIds: ids }) => {
      if (ids.length > resolvedMax) {
        orThrow(tooMany(resolvedMax));
      }
      const prove = deps.watchPrimary();
      const found = await beneficiaries.currencies(merchantId, ids);
      // A missing id is a final refusal for the caller, so its absence needs proof.
      if (found.length < new Set(ids).size) await prove();
      const currencies = found.map(({ _id, destination_currency }) => {
        return { beneficiaryId: _id, destinationCurrency: destination_currency };
      });
      return { currencies };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

async function created(
  beneficiaries: Pick<BeneficiaryStore, "findExisting">,
  stored: Opened<Beneficiary> | undefined,
) {
  if (stored === undefined) return {};
  const existingBeneficiaryId = (await beneficiaries.findExisting(stored)) ?? "";
  return { beneficiaryId: stored.record.id, existingBeneficiaryId };
}

/** Requires the wallet's screening to be clear before the beneficiary is stored. */
export const cryptoCreation: Creation<typeof CryptoBeneficiaryFieldsSchema> = {
  noun: "beneficiary",
  form: cryptoForm,
  schema: CryptoBeneficiaryFieldsSchema,
  request: CreateCryptoBeneficiaryRequestSchema,
  wallet: beneficiaryWallet,
  document: (origin, body, wallet, storing) =>
    beneficiaryDocument(newCryptoBeneficiary(origin, body, wallet?.address ?? ""), storing),
};

export const fiatCreation: Creation<typeof FiatBeneficiaryFieldsSchema> = {
  noun: "beneficiary",
  form: fiatForm,
  schema: FiatBeneficiaryFieldsSchema,
  request: CreateFiatBeneficiaryRequestSchema,
  wallet: () => undefined,
  document: (origin, body, _wallet, storing) =>
    beneficiaryDocument(newFiatBeneficiary(origin, body), storing),
};

/** Returns the beneficiary's wallet in canonical form. Refuses an invalid address. */
export function beneficiaryWallet(body: Fields): PartyWallet | Refused<"INVALID_WALLET_ADDRESS"> {
  const network = textOf(body, "routing_code_value_1");
  if (!isNetwork(network)) throw new Error("the validated body of a beneficiary has no network");
  const address = checkWalletAddress(network, textOf(body, "beneficiary_account_number"));
  return typeof address === "string" ? { networks: [network], address } : address;
}

export function beneficiaryMessage(beneficiary: Beneficiary): BeneficiaryMessage {
  const { kind, createdAt, updatedAt } = beneficiary;
  const fields = shownFields(beneficiary);
  return create(BeneficiarySchema, {
    ...beneficiary,
    kind: enumValue(BeneficiaryKind, kind),
    screeningStatus: enumValue(ScreeningStatus, beneficiary.screening.status),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
    createdBy: creatorMessage(beneficiary.createdBy),
    unpayableReason: unpayableReason(beneficiary),
    nameLatin: latinNameOf(fields),
    fields:
      kind === "crypto"
        ? { case: "crypto", value: fromJson(CryptoBeneficiaryFieldsSchema, fields, ofNext) }
        : { case: "fiat", value: fromJson(FiatBeneficiaryFieldsSchema, fields, ofNext) },
  });
}

/** The next release may store fields that this one doesn't know. Both read them during an update. */
const ofNext = { ignoreUnknownFields: true };

function paymentInstruction(opened: Opened<Beneficiary>): GetPaymentInstructionResponse {
  const { record, whole } = opened;
  return create(GetPaymentInstructionResponseSchema, {
    ...record,
    beneficiaryName: latinNameOf(whole) || record.name,
    accountNumber: accountNumberOf(whole),
    ...routingOf(whole),
    accountType: textOf(whole, "beneficiary_account_type"),
    bankAccountType: textOf(whole, "beneficiary_bank_account_type"),
    bankName: textOf(whole, "beneficiary_bank_name"),
    address: payeeAddress(whole),
    screeningStatus: enumValue(ScreeningStatus, record.screening.status),
  });
}

const wantedArchived: Readonly<Record<ArchivedFilter, Wanted<boolean>>> = {
  [ArchivedFilter.UNSPECIFIED]: false,
  [ArchivedFilter.EXCLUDED]: false,
  [ArchivedFilter.ONLY]: true,
  [ArchivedFilter.ANY]: null,
};

export function readBeneficiaryFilter(message: ListBeneficiariesRequest) {
  return readFilter(message, [
    ["kind", "kind", wantedWord(BeneficiaryKind, message.kind)],
    ["account_type", "account_type", partyType(message.accountType)],
    ["destination_currency", "destination_currency", message.destinationCurrency || null],
    ["screening_status", "screening.status", wantedWord(ScreeningStatus, message.screeningStatus)],
    ["archived", "archived", wantedArchived[message.archived]],
  ]);
}

/** Drops the filters that were not sent. */
function formChoice(request: ListBeneficiaryFormsRequest): FormChoice {
  const { destinationCurrency, transferType, accountType } = request;
  return {
    ...(destinationCurrency === "" ? {} : { destinationCurrency }),
    ...(transferType === "" ? {} : { transferType }),
    ...(accountType === "" ? {} : { accountType }),
  };
}

export function formMessage(form: BeneficiaryForm): BeneficiaryFormMessage {
  return create(BeneficiaryFormSchema, {
    ...form,
    fields: form.fields.map((field) => ({
      ...field,
      type: field.kind,
      requiredUnless: field.requiredUnless ?? "",
      allowedValues: [...(field.allowed ?? [])],
      pattern: field.pattern?.source ?? field.shape ?? "",
      patternMessage: field.pattern?.problem ?? "",
      defaultValue: field.default ?? "",
    })),
    rules: [...form.rules],
  });
}

/** Builds the message of a payee; `undefined` if it is archived. */
function payeeMessage({ hashes }: BeneficiaryDeps, opened: Opened<Beneficiary>) {
  const { id, archived, destinationCurrency, screening, createdAt } = opened.record;
  if (archived) return undefined;
  return {
    beneficiaryId: id,
    destinationCurrency,
    screeningStatus: enumValue(ScreeningStatus, screening.status),
    payable: unpayableReason(opened.record) === "",
    destinationKeys: destinationKeys(hashes.destinations, opened),
    createdAt: timestampFromDate(createdAt),
  };
}

/** Names the fields that the payment method can't carry; `""` if it carries all. */
function unpayableReason(beneficiary: Beneficiary): string {
  if (beneficiary.kind === "crypto") return "";
  return violationsMessage(carriedProblems(fiatForm, shownFields(beneficiary)));
}

/** Returns a page of unpayable beneficiaries of all merchants, in the order of ids. */
async function listUnpayable(
  beneficiaries: Pick<BeneficiaryStore, "examine">,
  { cursor, limit }: ListUnpayableBeneficiariesRequest,
) {
  const count = orThrow(readLimit(limit, examined.max, examined.byDefault));
  const found = await beneficiaries.examine(orThrow(readStart(cursor)), count);
  const last = found.at(-1);
  return {
    beneficiaries: found.flatMap((each) => {
      const reason = each.archived ? "" : unpayableReason(each);
      if (reason === "") return [];
      return {
        beneficiaryId: each.id,
        merchantId: each.merchantId,
        destinationCurrency: each.destinationCurrency,
        transferMethod: each.transferMethod,
        reason,
        createdAt: timestampFromDate(each.createdAt),
      };
    }),
    nextCursor: last === undefined || found.length < count ? "" : last.id,
  };
}

function readStart(cursor: string): string | Refused<"INVALID_REQUEST"> {
  if (cursor === "" || isId("beneficiary", cursor)) return cursor;
  return invalidCursor;
}
