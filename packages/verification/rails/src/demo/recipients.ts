import { address } from "@solana/kit";

const person = {
  beneficiary_account_type: "Individual",
  beneficiary_address: "12 St James's Square",
  beneficiary_city: "London",
  beneficiary_postcode: "SW1Y 4JH",
  beneficiary_country_code: "GB",
} as const;

/** Only the demo pays this wallet, so the wallet's balance equals the sum of the payouts. */
export const paidWallet = "0x52908400098527886E0F7030069857D2E4169EE7";

export const byWallet = {
  ...person,
  beneficiary_name: "Ada Lovelace",
  beneficiary_state: "London",
  routing_code_type_1: "NETWORK",
  routing_code_value_1: "ETHEREUM",
  beneficiary_account_number: paidWallet,
  beneficiary_wallet_custody_provider: "OTHERS",
  beneficiary_wallet_custody_provider_name: "Paper wallet",
  beneficiary_document_type: "PASSPORT",
  beneficiary_document_id: "123456789",
  beneficiary_date_of_birth: "1985-12-10",
  destination_currency: "USDC_ETH",
} as const;

/** The main-net address of a payee. On a test chain, the rail pays the same output script. */
export const bitcoinAddress = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

export const byBitcoin = {
  ...byWallet,
  beneficiary_name: "Mary Somerville",
  routing_code_value_1: "BTC",
  beneficiary_account_number: bitcoinAddress,
  destination_currency: "BTC",
} as const;
/** Only the demo pays these wallets on Solana. */
export const paidSolanaWallet = address("HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH");
export const frozenSolanaWallet = address("GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ");

export const bySolanaWallet = (wallet: string) =>
  ({
    ...byWallet,
    routing_code_value_1: "SOLANA",
    beneficiary_account_number: wallet,
    destination_currency: "USDC_SOL",
  }) as const;

const american = {
  beneficiary_account_type: "Individual",
  beneficiary_address: "1 Main Street",
  beneficiary_city: "New York",
  beneficiary_state: "NY",
  beneficiary_postcode: "10001",
  beneficiary_country_code: "US",
  destination_currency: "USD",
} as const;

export const byAch = {
  ...american,
  beneficiary_first_name: "Grace",
  beneficiary_last_name: "Hopper",
  transfer_type: "ACH",
  destination_country: "US",
  routing_code_type_1: "ACH CODE",
  routing_code_value_1: "021000021",
  beneficiary_account_number: "123456789012",
} as const;

/** The name of a payee whose account the bank treats as closed. */
export const closedAccount = "Konrad Geschlossen";

const swift = {
  ...person,
  beneficiary_state: "Berlin",
  destination_currency: "USD",
  transfer_type: "SWIFT",
  destination_country: "DE",
  routing_code_type_1: "SWIFT",
  routing_code_value_1: "DEUTDEFF",
  beneficiary_account_number: "DE89370400440532013000",
  beneficiary_bank_name: "Deutsche Bank",
  beneficiary_bank_address: "Taunusanlage 12",
  beneficiary_bank_city: "Frankfurt",
  beneficiary_bank_postcode: "60325",
  beneficiary_bank_state: "Hessen",
  beneficiary_bank_country_code: "DE",
} as const;

export const bySwift = {
  ...swift,
  beneficiary_first_name: "Emmy",
  beneficiary_last_name: "Noether",
} as const;

export const bySepa = {
  beneficiary_account_type: "Individual",
  beneficiary_first_name: "Sophie",
  beneficiary_last_name: "Germain",
  beneficiary_address: "13 rue de Savoie",
  beneficiary_city: "Paris",
  beneficiary_postcode: "75006",
  beneficiary_country_code: "FR",
  destination_currency: "EUR",
  transfer_type: "SEPA",
  iban: "FR7630006000011234567890189",
} as const;

export const bySwiftReturned = {
  ...swift,
  beneficiary_first_name: "Konrad",
  beneficiary_last_name: "Geschlossen",
} as const;
