import { bicOf } from "@disburse/kernel/payment-methods/bic.ts";
import { givenText, payeeCountry } from "@disburse/kernel/payment-methods/postal-address.ts";
import { maskAllButLastFour } from "@disburse/kernel/text.ts";
import { type Fields, textOf } from "../../records/rules/private-fields.ts";
import {
  type AccountType,
  accountTypes,
  type NewRecord,
  newRecord,
  type Origin,
  type StoredRecord,
} from "../../records/rules/record.ts";
import { type PartyBank, party, type ScreeningScope } from "../../records/rules/screening.ts";

/** A beneficiary is paid to a wallet (`crypto`) or to a bank account (`fiat`). */
export const beneficiaryKinds = ["crypto", "fiat"] as const;
export type BeneficiaryKind = (typeof beneficiaryKinds)[number];

export type TransferMethod = "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "SEPA";

/** The part of a beneficiary that needs no decryption. */
export type Beneficiary = StoredRecord & {
  readonly kind: BeneficiaryKind;
  readonly name: string;
  readonly accountType: AccountType;
  readonly destinationCurrency: string;
  readonly transferMethod: TransferMethod;
  /** `""` for a fiat beneficiary. */
  readonly network: string;
  readonly accountNumberMasked: string;
  readonly archived: boolean;
  readonly createdBy: BeneficiaryCreator;
};

/** The merchant's actor, or the link that the payee used. Only an API key has a name here. */
export type BeneficiaryCreator = {
  readonly kind: "api_key" | "member" | "operator" | "service" | "link";
  readonly id: string;
  readonly name?: string;
};

export type NewBeneficiary = Omit<Beneficiary, "createdBy"> & NewRecord;

/** Creates a crypto beneficiary from its checked body. Payments go to the canonical address. */
export function newCryptoBeneficiary(
  origin: Origin,
  body: Fields,
  canonicalAddress: string,
): NewBeneficiary {
  return {
    ...common(origin, body, { ...body, beneficiary_account_number: canonicalAddress }),
    kind: "crypto",
    name: textOf(body, "beneficiary_name"),
    transferMethod: "CRYPTO",
    network: textOf(body, "routing_code_value_1"),
  };
}

export function newFiatBeneficiary(origin: Origin, body: Fields): NewBeneficiary {
  return {
    ...common(origin, body, body),
    kind: "fiat",
    name: fiatName(body),
    transferMethod: transferMethodOf(body),
    network: "",
  };
}

function common(origin: Origin, body: Fields, whole: Fields) {
  return {
    ...newRecord(origin, whole),
    accountType: accountTypeOf(body),
    destinationCurrency: textOf(body, "destination_currency"),
    accountNumberMasked: maskAllButLastFour(accountNumberOf(body)),
    archived: false,
  };
}

/** Returns the account or wallet number, or the IBAN for EUR. Needs the whole body. */
export function accountNumberOf(whole: Fields): string {
  return textOf(whole, "iban") || textOf(whole, "beneficiary_account_number");
}

/** Returns the body's fields with the account number masked, under its form's field name. */
export function shownFields({
  fields,
  transferMethod,
  accountNumberMasked,
}: Omit<Beneficiary, "createdBy">): Fields {
  const name = transferMethod === "SEPA" ? "iban" : "beneficiary_account_number";
  return { ...fields, [name]: accountNumberMasked };
}

/** Returns the routing of a bank account. SEPA uses the IBAN alone, which includes the country. */
export function routingOf(whole: Fields) {
  const iban = textOf(whole, "iban");
  if (iban === "") {
    return {
      routingCodeType1: textOf(whole, "routing_code_type_1"),
      routingCodeValue1: textOf(whole, "routing_code_value_1"),
      destinationCountry: textOf(whole, "destination_country"),
    };
  }
  const bic = textOf(whole, "bic");
  return {
    routingCodeType1: bic === "" ? "" : "SWIFT",
    routingCodeValue1: bic,
    destinationCountry: iban.slice(0, 2),
  };
}

/** A person's name is first plus last name (decisions: payouts), or the last name alone. */
function fiatName(body: Fields): string {
  if (textOf(body, "beneficiary_account_type") !== "Individual") {
    return textOf(body, "beneficiary_name");
  }
  const names = [textOf(body, "beneficiary_first_name"), textOf(body, "beneficiary_last_name")];
  return names.filter((name) => name !== "").join(" ");
}

/** Returns the name in Latin letters for the bank, or `""` if the merchant gave none. */
export function latinNameOf(fields: Fields): string {
  return textOf(fields, "beneficiary_name_latin");
}

const countryOf = (fields: Fields): string => payeeCountry((field) => textOf(fields, field));

/** Returns the payee's address for payment files, without placeholders. */
export function payeeAddress(whole: Fields) {
  return {
    street: givenText(textOf(whole, "beneficiary_address")),
    city: givenText(textOf(whole, "beneficiary_city")),
    state: givenText(textOf(whole, "beneficiary_state")),
    postcode: givenText(textOf(whole, "beneficiary_postcode")),
    countryCode: countryOf(whole),
  };
}

function accountTypeOf(body: Fields): AccountType {
  const type = accountTypes.find((each) => each === textOf(body, "beneficiary_account_type"));
  if (type === undefined)
    throw new Error("the validated body of a beneficiary has no account type");
  return type;
}

function transferMethodOf(body: Fields): TransferMethod {
  const type = textOf(body, "transfer_type");
  if (type === "SWIFT" || type === "ACH" || type === "LOCAL" || type === "SEPA") return type;
  throw new Error("the validated body of a beneficiary has no transfer type");
}

/** Returns the name of a custody provider's code; `""` if the code names none. */
type ProviderName = (code: string) => string;

/**
 * Returns the parties, wallets, and banks or custodians to screen. `whole` also has the fields that
 * no response contains, such as the document number.
 */
export function beneficiaryScope(
  { kind, name, network }: Pick<Beneficiary, "kind" | "name" | "network">,
  whole: Fields,
  providerName: ProviderName,
): ScreeningScope {
  const individual = textOf(whole, "beneficiary_account_type") === "Individual";
  const date = individual ? "beneficiary_date_of_birth" : "beneficiary_date_of_incorporation";
  const holder = (as: string) =>
    party(individual ? "individual" : "entity", as, {
      date: textOf(whole, date),
      countries: [countryOf(whole)],
      documentIds: [textOf(whole, "beneficiary_document_id")],
    });
  // Screens both spellings, because a list may contain only the Latin one, which the bank receives.
  const latin = latinNameOf(whole);
  const names = latin === "" || latin === name ? [name] : [name, latin];
  const address = textOf(whole, "beneficiary_account_number");
  const wallets = kind === "crypto" ? [{ networks: [network], address }] : [];
  const banks = kind === "fiat" ? banksOf(whole) : custodiansOf(whole, providerName);
  return { parties: names.map(holder), wallets, banks };
}

/**
 * Returns the custodian or exchange of a wallet, which is screened like a bank: by its code's name
 * and by the given name, because they may name different providers.
 */
function custodiansOf(whole: Fields, providerName: ProviderName): PartyBank[] {
  const code = textOf(whole, "beneficiary_wallet_custody_provider");
  const given = textOf(whole, "beneficiary_wallet_custody_provider_name");
  const names = [providerName(code), given].filter((name) => name !== "");
  return [...new Set(names)].map((name) => ({ name, bic: "", country: "" }));
}

/**
 * Returns the banks to screen: by name, and by each BIC among the routing codes regardless of their
 * declared type. The form allows any text as the second code, so it may not be a BIC.
 */
function banksOf(whole: Fields): PartyBank[] {
  const name = textOf(whole, "beneficiary_bank_name");
  const codes = ["bic", "routing_code_value_1", "routing_code_value_2"]
    .map((field) => bicOf(textOf(whole, field)))
    .filter((code) => code !== undefined);
  const [bic = "", ...others] = new Set(codes);
  const banks = [
    { name, bic, country: bankCountryOf(whole) },
    ...others.map((other) => ({ name: "", bic: other, country: "" })),
  ];
  return banks.filter((bank) => Object.values(bank).some(Boolean));
}

/** Returns the country of the account: an IBAN names it, otherwise the beneficiary does. */
function bankCountryOf(whole: Fields): string {
  const accounts = ["iban", "beneficiary_account_number"].map((field) => textOf(whole, field));
  const iban = accounts.find((account) => /^[A-Z]{2}\d{2}[A-Z0-9]{11,}$/.test(account));
  const named = ["beneficiary_bank_country_code", "destination_country"];
  return iban?.slice(0, 2) ?? named.map((field) => textOf(whole, field)).find(Boolean) ?? "";
}
