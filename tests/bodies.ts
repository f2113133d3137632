import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/fields/field.ts";
import type { Network } from "@disburse/forms/values/networks.ts";

/** Valid bodies for tests to send unchanged or to corrupt. */

export type AccountType = "Individual" | "Corporate";

export const paths = {
  crypto: "/api/v1/transfer/crypto/beneficiary",
  fiat: "/api/v1/transfer/fiat/beneficiary",
  depositor: "/api/v1/depositor",
  rfq: "/api/v1/transfer/rfq",
  execute: "/api/v1/transfer/execute",
  payouts: "/api/v1/transfer/payouts",
  scheduled: "/api/v1/transfer/scheduled-payouts",
  batches: "/api/v1/transfer/batches",
  accounts: "/api/v1/transfer/accounts",
  quotes: "/api/v1/transfer/quotes",
  beneficiaries: "/api/v1/transfer/beneficiaries",
  endpoints: "/api/v1/webhooks/endpoints",
  deliveries: "/api/v1/webhooks/deliveries",
  replays: "/api/v1/webhooks/replays",
} as const;

const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** One address for each network, in canonical form and on no list. */
export const wallets: Readonly<Record<Network, string>> = {
  ETHEREUM: evm,
  POL: evm,
  BNB: evm,
  SOLANA: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
  BTC: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  TRX: "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW",
};

function formBody(body: PublicBody, name: string): BodyValues {
  const form = body.forms.find((each) => each.name.endsWith(name));
  if (form === undefined) throw new Error(`the body ${body.name} has no form ${name}`);
  return exampleOf(form);
}

export function cryptoBody(
  network: Network = "ETHEREUM",
  currency = "USDC_ETH",
  type: AccountType = "Individual",
): BodyValues {
  return {
    ...formBody(cryptoBeneficiary, type.toLowerCase()),
    routing_code_value_1: network,
    beneficiary_account_number: wallets[network],
    destination_currency: currency,
  };
}

const swift = {
  transfer_type: "SWIFT",
  routing_code_type_1: "SWIFT",
  routing_code_value_1: "CHASUS33XXX",
} as const;

/** Changes that turn a form's example into each kind of bank transfer. */
const bankChanges = {
  ACH: {},
  LOCAL: { transfer_type: "LOCAL" },
  SWIFT: swift,
  USDC: { destination_currency: "USDC" },
  "SWIFT to an IBAN": {
    ...swift,
    routing_code_value_1: "DEUTDEFF",
    destination_country: "DE",
    beneficiary_bank_country_code: "DE",
    beneficiary_account_number: "DE89370400440532013000",
  },
  INR: {},
  EUR: {},
} as const;

/** Beneficiary forms by bank transfer. Transfers that are not listed use the USD form. */
const formOf: Readonly<Record<string, string>> = { INR: "inr", EUR: "eur" };

export type BankTransfer = keyof typeof bankChanges;
export const bankTransfers = Object.keys(bankChanges) as readonly BankTransfer[];

/** Creates a bank recipient. Omits the names of the other account type. */
export function bankBody(transfer: BankTransfer = "ACH", type: AccountType = "Individual") {
  const example = formBody(fiatBeneficiary, formOf[transfer] ?? "usd");
  const { beneficiary_first_name, beneficiary_last_name, beneficiary_name, ...others } = example;
  const { beneficiary_name_latin: _, ...rest } = others;
  const names =
    type === "Individual"
      ? { beneficiary_first_name, beneficiary_last_name }
      : { beneficiary_name };
  const body = { ...rest, ...names, ...bankChanges[transfer], beneficiary_account_type: type };
  return body as BodyValues;
}

/** Creates a depositor. The parameter is the last word of the form's name. */
export function depositorBody(form: "individual" | "corporate" | "self_business"): BodyValues {
  return formBody(depositor, form);
}
