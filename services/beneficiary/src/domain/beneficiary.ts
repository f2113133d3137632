import { maskAllButLastFour } from "@disburse/kernel/text.ts";
import { type Fields, textOf } from "./private-fields.ts";
import { party, type Screening, type ScreeningScope } from "./screening.ts";

export const beneficiaryKinds = ["crypto", "fiat"] as const;
export type BeneficiaryKind = (typeof beneficiaryKinds)[number];

/** Of beneficiaries; depositors that are not the merchant's own business have them as types too. */
export const accountTypes = ["Individual", "Corporate"] as const;
export type AccountType = (typeof accountTypes)[number];

export type TransferMethod = "CRYPTO" | "SWIFT" | "ACH" | "LOCAL";

/** What can be told of a beneficiary without opening what is sealed. */
export type Beneficiary = {
  readonly id: string;
  readonly merchantId: string;
  readonly kind: BeneficiaryKind;
  readonly name: string;
  readonly accountType: AccountType;
  readonly destinationCurrency: string;
  readonly transferMethod: TransferMethod;
  /** Of a crypto beneficiary, else `""`. */
  readonly network: string;
  readonly accountNumberMasked: string;
  /** The public body without its private fields. */
  readonly fields: Fields;
  readonly screening: Screening;
  readonly archived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

type Origin = {
  readonly id: string;
  readonly merchantId: string;
  readonly screening: Screening;
  readonly now: Date;
};

/** A beneficiary and the whole body that it was made of, before the private part is sealed. */
export type NewBeneficiary = Beneficiary & { readonly whole: Fields };

/**
 * A crypto beneficiary from its checked body. The canonical address is the one that is paid; the
 * masked one shows the last four characters as the merchant wrote them.
 */
export function newCryptoBeneficiary(
  origin: Origin,
  body: Fields,
  canonicalAddress: string,
): NewBeneficiary {
  return {
    ...common(origin, body),
    kind: "crypto",
    name: textOf(body, "beneficiary_name"),
    transferMethod: "CRYPTO",
    network: textOf(body, "routing_code_value_1"),
    whole: { ...body, beneficiary_account_number: canonicalAddress },
  };
}

/** A fiat beneficiary from its checked body. */
export function newFiatBeneficiary(origin: Origin, body: Fields): NewBeneficiary {
  return {
    ...common(origin, body),
    kind: "fiat",
    name: fiatName(body),
    transferMethod: transferMethodOf(body),
    network: "",
    whole: body,
  };
}

function common({ id, merchantId, screening, now }: Origin, body: Fields) {
  return {
    id,
    merchantId,
    accountType: accountTypeOf(body),
    destinationCurrency: textOf(body, "destination_currency"),
    accountNumberMasked: maskAllButLastFour(textOf(body, "beneficiary_account_number")),
    fields: {},
    screening,
    archived: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** A person's name is first plus last (decisions: payouts). */
function fiatName(body: Fields): string {
  return textOf(body, "beneficiary_account_type") === "Individual"
    ? `${textOf(body, "beneficiary_first_name")} ${textOf(body, "beneficiary_last_name")}`
    : textOf(body, "beneficiary_name");
}

function accountTypeOf(body: Fields): AccountType {
  const type = accountTypes.find((each) => each === textOf(body, "beneficiary_account_type"));
  if (type === undefined) throw new Error("a checked body has no account type");
  return type;
}

function transferMethodOf(body: Fields): TransferMethod {
  const type = textOf(body, "transfer_type");
  if (type === "SWIFT" || type === "ACH" || type === "LOCAL") return type;
  throw new Error("a checked body has no transfer type");
}

/** Whom and what compliance screens; needs the whole body. */
export function beneficiaryScope(
  { kind, name, network }: Pick<Beneficiary, "kind" | "name" | "network">,
  whole: Fields,
): ScreeningScope {
  const individual = textOf(whole, "beneficiary_account_type") === "Individual";
  const date = individual ? "beneficiary_date_of_birth" : "beneficiary_date_of_incorporation";
  const holder = party(individual ? "individual" : "entity", name, {
    date: textOf(whole, date),
    countries: [textOf(whole, "beneficiary_country_code")],
    documentIds: [textOf(whole, "beneficiary_document_id")],
  });
  const address = textOf(whole, "beneficiary_account_number");
  const wallets = kind === "crypto" ? [{ networks: [network], address }] : [];
  return { parties: [holder], wallets };
}
