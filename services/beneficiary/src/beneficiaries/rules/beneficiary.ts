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

/** How a beneficiary is paid: to a wallet, or to a bank account. */
export const beneficiaryKinds = ["crypto", "fiat"] as const;
export type BeneficiaryKind = (typeof beneficiaryKinds)[number];

/** The method by which a rail pays a beneficiary. */
export type TransferMethod = "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "SEPA";

/** A beneficiary as it can be read without opening what is sealed. */
export type Beneficiary = StoredRecord & {
  readonly kind: BeneficiaryKind;
  readonly name: string;
  readonly accountType: AccountType;
  readonly destinationCurrency: string;
  readonly transferMethod: TransferMethod;
  /** Of a crypto beneficiary, else `""`. */
  readonly network: string;
  readonly accountNumberMasked: string;
  readonly archived: boolean;
};

/** A beneficiary and the whole body that it was made of. */
export type NewBeneficiary = Beneficiary & NewRecord;

/** A crypto beneficiary from its checked body; the canonical address is the one that is paid. */
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

/** A fiat beneficiary from its checked body. */
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

/** The number of the account or wallet that is paid, an IBAN in EUR; needs the whole body. */
export function accountNumberOf(whole: Fields): string {
  return textOf(whole, "iban") || textOf(whole, "beneficiary_account_number");
}

/** The body's fields as they are shown: the account number masked, under the form's own name. */
export function shownFields({ fields, transferMethod, accountNumberMasked }: Beneficiary): Fields {
  const name = transferMethod === "SEPA" ? "iban" : "beneficiary_account_number";
  return { ...fields, [name]: accountNumberMasked };
}

/** How a bank account is routed; SEPA goes by the IBAN, which names the country too. */
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

/** A person's name is first plus last (decisions: payouts), or the last name alone. */
function fiatName(body: Fields): string {
  if (textOf(body, "beneficiary_account_type") !== "Individual") {
    return textOf(body, "beneficiary_name");
  }
  const names = [textOf(body, "beneficiary_first_name"), textOf(body, "beneficiary_last_name")];
  return names.filter((name) => name !== "").join(" ");
}

/** The name in Latin letters that the merchant gave, as the bank gets it; `""` for none. */
export function latinNameOf(fields: Fields): string {
  return textOf(fields, "beneficiary_name_latin");
}

const countryOf = (fields: Fields): string => payeeCountry((field) => textOf(fields, field));

/** The payee's address as a file has it: without placeholders. */
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
  if (type === undefined) throw new Error("a checked body has no account type");
  return type;
}

function transferMethodOf(body: Fields): TransferMethod {
  const type = textOf(body, "transfer_type");
  if (type === "SWIFT" || type === "ACH" || type === "LOCAL" || type === "SEPA") return type;
  throw new Error("a checked body has no transfer type");
}

/** Whom and what compliance screens; needs the whole body. */
export function beneficiaryScope(
  { kind, name, network }: Pick<Beneficiary, "kind" | "name" | "network">,
  whole: Fields,
): ScreeningScope {
  const individual = textOf(whole, "beneficiary_account_type") === "Individual";
  const date = individual ? "beneficiary_date_of_birth" : "beneficiary_date_of_incorporation";
  const holder = (as: string) =>
    party(individual ? "individual" : "entity", as, {
      date: textOf(whole, date),
      countries: [countryOf(whole)],
      documentIds: [textOf(whole, "beneficiary_document_id")],
    });
  // The bank gets the name in Latin letters: it may be listed where the original is not.
  const latin = latinNameOf(whole);
  const names = latin === "" || latin === name ? [name] : [name, latin];
  const address = textOf(whole, "beneficiary_account_number");
  const wallets = kind === "crypto" ? [{ networks: [network], address }] : [];
  return { parties: names.map(holder), wallets, banks: kind === "fiat" ? banksOf(whole) : [] };
}

/**
 * The banks that an account's details name: by name, and by each BIC among its routing codes,
 * whatever type they are said to be of. The form leaves the second code free, so it may be no BIC.
 */
function banksOf(whole: Fields): PartyBank[] {
  const name = textOf(whole, "beneficiary_bank_name");
  const codes = ["bic", "routing_code_value_1", "routing_code_value_2"]
    .map((field) => bicOf(textOf(whole, field)))
    .filter((code) => code !== undefined);
  const [bic = "", ...others] = new Set(codes);
  const banks = [{ name, bic }, ...others.map((other) => ({ name: "", bic: other }))];
  return banks.filter((bank) => bank.name !== "" || bank.bic !== "");
}
