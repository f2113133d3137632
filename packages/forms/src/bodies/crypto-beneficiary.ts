import type { Form, PublicBody, Rule, TextField } from "../fields/field.ts";
import {
  aliasField,
  birthDateField,
  choiceField,
  countryField,
  dateField,
  documentField,
  emailField,
  lengths,
  metadataField,
  referenceField,
  textField,
} from "../fields/make.ts";
import { custodyProviderCodes } from "../values/custody-providers.ts";
import {
  isNetwork,
  networkCurrencies,
  networks,
  solanaDefaultCurrency,
} from "../values/networks.ts";
import { companyName, personName } from "./names.ts";

/** Service interface, "Crypto beneficiary (request fields)". */

const documentType = "beneficiary_document_type";
const individualDocuments = ["NATIONAL_ID_CARD", "PASSPORT", "DRIVING_LICENSE"] as const;
const corporateDocument = "BUSINESS_IDENTIFICATION_NUMBER";

/** All currencies without duplicates, in the order of their networks. */
const [firstCurrency = "", ...otherCurrencies] = new Set(Object.values(networkCurrencies).flat());

const destinationCurrency: TextField = {
  ...choiceField(
    "destination_currency",
    "Currency to be delivered; has to live on the network. May be omitted on SOLANA only.",
    [firstCurrency, ...otherCurrencies],
  ),
  required: { field: "routing_code_value_1", notIn: ["SOLANA"] },
  default: solanaDefaultCurrency,
};

const networkField = "routing_code_value_1";
const base58 = "1-9A-HJ-NP-Za-km-z";
/**
 * Bitcoin SegWit addresses: witness version 0 with 20 or 32 bytes, or version 1 with 32 bytes,
 * followed by a checksum of 6 characters.
 */
const segwit = "q[02-9ac-hj-np-z]{38}|[qp][02-9ac-hj-np-z]{58}";

/** Checks only the shape. `wallet-address.ts` checks the address itself and its checksum. */
const walletAddress: TextField = {
  ...textField(
    "beneficiary_account_number",
    "Wallet address, valid for its network including its checksum, that somebody can own: no burn address, precompile, system account or token contract.",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    { maxLength: lengths.wallet, normal: { of: "wallet" } },
  ),
  variants: [
    {
      when: { field: networkField, in: ["ETHEREUM", "POL", "BNB"] },
      example: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      shape: "^0x[0-9A-Fa-f]{40}$",
    },
    {
      when: { field: networkField, in: ["SOLANA"] },
      example: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
      shape: `^[${base58}]{32,44}$`,
    },
    {
      when: { field: networkField, in: ["BTC"] },
      example: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      shape: `^(?:bc1(?:${segwit})|BC1(?:${segwit.toUpperCase()})|[13][${base58}]{25,34})$`,
    },
    {
      when: { field: networkField, in: ["TRX"] },
      example: "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW",
      shape: `^T[${base58}]{33}$`,
    },
  ],
};

const common: readonly TextField[] = [
  textField("beneficiary_name", "Full name.", "Jane Doe"),
  choiceField("routing_code_type_1", "Routing code type of crypto currency.", ["NETWORK"]),
  choiceField("routing_code_value_1", "Network on which the crypto currency is sent.", networks),
  walletAddress,
  emailField("beneficiary_email", "E-mail address."),
  choiceField("beneficiary_account_type", "Type of beneficiary.", ["Individual", "Corporate"]),
  choiceField(
    "beneficiary_wallet_custody_provider",
    "Custodian or exchange that holds the wallet, or OTHERS.",
    custodyProviderCodes(),
  ),
  textField(
    "beneficiary_wallet_custody_provider_name",
    "Name of the provider; of the wallet software or provider when the provider is OTHERS.",
    "Anchorage Digital",
  ),
  textField("beneficiary_address", "Address line.", "1 Main Street"),
  textField("beneficiary_city", "City.", "New York"),
  textField("beneficiary_state", "State.", "NY"),
  textField("beneficiary_postcode", "Post code.", "10001", { maxLength: lengths.postcode }),
  countryField("beneficiary_country_code", "Country of residence."),
  documentField("beneficiary_document_id", "Number of the document.", "X1234567"),
  destinationCurrency,
];

const currencyOnNetwork: Rule = {
  description: "The destination currency must be one of the network's currencies.",
  reads: ["routing_code_value_1", "destination_currency"],
  reports: "destination_currency",
  check: (text) => {
    const network = text("routing_code_value_1");
    const currencies = isNetwork(network) ? networkCurrencies[network] : [];
    if (currencies.includes(text("destination_currency"))) return undefined;
    return `must be one of ${currencies.join(", ")} on ${network}`;
  },
};

const wholeNames: readonly Rule[] = [
  personName("beneficiary_name", { field: "beneficiary_account_type", in: ["Individual"] }),
  companyName("beneficiary_name", { field: "beneficiary_account_type", notIn: ["Individual"] }),
];

const formOf = (type: string, description: string, ...fields: readonly TextField[]): Form => ({
  name: `crypto_beneficiary_${type.toLowerCase()}`,
  description,
  selectedBy: [{ field: "beneficiary_account_type", in: [type] }],
  fields: [...common, ...fields, aliasField, referenceField, metadataField],
  rules: [currencyOnNetwork, ...wholeNames],
});

const individual = formOf(
  "Individual",
  "A person who is paid in crypto currency.",
  birthDateField("beneficiary_date_of_birth"),
  choiceField(documentType, "Kind of document.", individualDocuments),
);

const corporate = formOf(
  "Corporate",
  "A company that is paid in crypto currency.",
  dateField("beneficiary_date_of_incorporation", "Date of incorporation.", "2012-09-03"),
  choiceField(documentType, "Business EIN, registration number or tax id.", [corporateDocument]),
);

export const cryptoBeneficiary: PublicBody = {
  name: "crypto_beneficiary",
  description: "A beneficiary that is paid in cryptocurrency.",
  forms: [individual, corporate],
  unselected: {
    name: "crypto_beneficiary",
    description: "A beneficiary whose account type is neither Individual nor Corporate.",
    selectedBy: [],
    fields: [
      ...common,
      choiceField(documentType, "Kind of document.", [...individualDocuments, corporateDocument]),
      aliasField,
      referenceField,
      metadataField,
    ],
    rules: [currencyOnNetwork, ...wholeNames],
  },
};
