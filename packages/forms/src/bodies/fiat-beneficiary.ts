import {
  type Condition,
  type Field,
  type Form,
  type NormalForm,
  optional,
  type Pattern,
  type PublicBody,
  type Rule,
  type TextField,
} from "../fields/field.ts";
import {
  alphanumeric,
  choiceField,
  countryField,
  emailField,
  ibanForm,
  lengths,
  metadataField,
  referenceField,
  telephoneField,
  textField,
} from "../fields/make.ts";
import { isAbaRoutingNumber, isBic, isIbanOf, isIfsc, usesIban } from "../values/bank-codes.ts";
import {
  addressFits,
  carriedField,
  type FormMethods,
  latinName,
  postcodeGiven,
  stateGiven,
} from "./carried.ts";
import { eurBeneficiary } from "./eur-beneficiary.ts";
import { bicPattern, latinNameIsLatin, nameFields, nameRules } from "./fiat-parts.ts";

/** Service interface, "Fiat beneficiary (request fields)". */

const isSwift: Condition = { field: "transfer_type", in: ["SWIFT"] };

type FiatForm = {
  readonly currencies: readonly [string, ...string[]];
  readonly transfers: readonly [string, ...string[]];
  /**
   * The payment methods whose limits apply. Empty for the form that applies if no form is selected.
   */
  readonly methods: FormMethods;
  readonly routingType: TextField;
  readonly routingValue: Pick<TextField, "description" | "example"> & Partial<TextField>;
  /** If true, contact, alias and bank name are required. */
  readonly required: boolean;
  readonly residenceRequired: TextField["required"];
  readonly bankRequired: TextField["required"];
  /** The description of the account field, with the accepted notation. */
  readonly account: string;
  readonly accountForm?: NormalForm;
  readonly more?: readonly TextField[];
};

/** Returns the address and account fields, with the limits of the methods that carry them. */
function carriedFields({ methods, account, accountForm }: FiatForm): readonly TextField[] {
  return [
    carriedField(textField("beneficiary_state", "State.", "NY"), "state", methods),
    carriedField(
      textField("beneficiary_address", "Address line.", "1 Main Street"),
      "street",
      methods,
    ),
    carriedField(textField("beneficiary_city", "City.", "New York"), "town", methods),
    carriedField(
      textField("beneficiary_postcode", "Post code.", "10001", { maxLength: lengths.postcode }),
      "postcode",
      methods,
    ),
    carriedField(
      textField("beneficiary_account_number", account, "1234567890", {
        maxLength: lengths.accountNumber,
        pattern: alphanumeric,
        ...(accountForm && { normal: accountForm }),
      }),
      "account",
      methods,
    ),
  ];
}

/** Returns the fields in the order of the service interface. */
function fiatFields(form: FiatForm): readonly Field[] {
  const { required, bankRequired, routingValue } = form;
  const { description, example } = routingValue;
  const ifRequired = (field: TextField): TextField => ({ ...field, required });
  const ofBank = (field: TextField): TextField => ({ ...field, required: bankRequired });
  const postcode = { maxLength: lengths.postcode };
  return [
    ...nameFields,
    emailField("beneficiary_email", "E-mail address."),
    choiceField("beneficiary_account_type", "Type of beneficiary.", ["Individual", "Corporate"]),
    choiceField("destination_currency", "Destination currency.", form.currencies),
    choiceField("transfer_type", "Payment method.", form.transfers),
    countryField("destination_country", "Country that the money is sent to."),
    {
      ...countryField(
        "beneficiary_country_code",
        "Country of residence; the destination country by default.",
      ),
      required: form.residenceRequired,
    },
    form.routingType,
    textField("routing_code_value_1", description, example, routingValue),
    optional(textField("routing_code_type_2", "Second routing code type.", "BRANCH")),
    optional(textField("routing_code_value_2", "Second routing value.", "001")),
    ...carriedFields(form),
    ifRequired(
      telephoneField(
        "beneficiary_contact_country_code",
        "Country calling code.",
        "1",
        lengths.phoneCountryCode,
      ),
    ),
    ifRequired(
      telephoneField(
        "beneficiary_contact_number",
        "Telephone number.",
        "2125550123",
        lengths.phoneNumber,
      ),
    ),
    ifRequired(textField("beneficiary_alias", "Nickname.", "jane", { maxLength: lengths.alias })),
    ifRequired(textField("beneficiary_bank_name", "Name of the bank.", "First Bank")),
    ofBank(textField("beneficiary_bank_address", "Address line of the bank.", "2 Bank Street")),
    ofBank(textField("beneficiary_bank_city", "City of the bank.", "New York")),
    ofBank(textField("beneficiary_bank_postcode", "Post code of the bank.", "10005", postcode)),
    ofBank(textField("beneficiary_bank_state", "State of the bank.", "NY")),
    ofBank(countryField("beneficiary_bank_country_code", "Country of the bank.")),
    ...(form.more ?? []),
    // The service interface has this field in its INR sample, but not in its table. It is stored if
    // a merchant sends it.
    textField("counter_party_alias", "Nickname of the counterparty.", "jane-inr", {
      required: false,
      maxLength: lengths.alias,
    }),
    optional(
      textField(
        "beneficiary_relationship",
        "Relation of the beneficiary to the sender.",
        "Supplier",
      ),
    ),
  ];
}

/**
 * Currencies that follow the USD rules: bank rails pay fiat `USDC` under the same rules as USD
 * (decisions: beneficiaries).
 */
const usdCurrencies = ["USD", "USDC"] as const;
const usdTransfers = ["ACH", "SWIFT", "LOCAL"] as const;
const usdMethods: FormMethods = { ACH: "ACH", SWIFT: "SWIFT", LOCAL: "LOCAL_USD" };
const inrMethods: FormMethods = { LOCAL: "LOCAL_INR" };
const residence = ["beneficiary_country_code", "destination_country"] as const;

const typeFitsTransfer: Rule = {
  description:
    "The routing code type must be SWIFT for SWIFT transfers, and ACH CODE for ACH and LOCAL transfers.",
  reads: ["transfer_type", "routing_code_type_1"],
  reports: "routing_code_type_1",
  check: (text) => {
    const transfer = text("transfer_type");
    const type = transfer === "SWIFT" ? "SWIFT" : "ACH CODE";
    if (text("routing_code_type_1") === type) return undefined;
    return `must be ${type} where transfer_type is ${transfer}`;
  },
};

const domestic: Rule = {
  description: "For ACH and LOCAL transfers of USD and USDC, the destination country must be US.",
  reads: ["transfer_type", "destination_country"],
  reports: "destination_country",
  check: (text) => {
    const transfer = text("transfer_type");
    if (transfer === "SWIFT" || text("destination_country") === "US") return undefined;
    return `must be US where transfer_type is ${transfer}`;
  },
};

const routingNumber: Rule = {
  description:
    "The routing code must be a BIC (ISO 9362) for SWIFT, and an ABA routing number with a valid checksum for ACH CODE.",
  reads: ["routing_code_type_1", "routing_code_value_1"],
  reports: "routing_code_value_1",
  check: (text) => {
    const value = text("routing_code_value_1");
    if (text("routing_code_type_1") === "SWIFT") {
      return isBic(value) ? undefined : "must be a valid BIC";
    }
    return isAbaRoutingNumber(value) ? undefined : "must be a valid ABA routing number";
  },
};

/**
 * The rule for IBANs. The bank's country is `beneficiary_bank_country_code` or, if absent, the
 * destination country.
 */
const iban: Rule = {
  description:
    "If the bank's country uses IBANs (ISO 13616), the account number must be a valid IBAN.",
  when: isSwift,
  reads: ["destination_country", "beneficiary_bank_country_code"],
  reports: "beneficiary_account_number",
  check: (text) => {
    const country = text("beneficiary_bank_country_code") || text("destination_country");
    if (!usesIban(country) || isIbanOf(country, text("beneficiary_account_number"))) {
      return undefined;
    }
    return `must be a valid IBAN of ${country}`;
  },
};

const routingNumberPattern: Pattern = {
  source: "^[0-9]{9}$",
  problem: "must be a valid ABA routing number",
};

/** Service interface, "USD/USDC beneficiary". */
const usdBeneficiary: Form = {
  name: "fiat_beneficiary_usd",
  description: "A bank account that is paid in USD or USDC.",
  selectedBy: [{ field: "destination_currency", in: usdCurrencies }],
  fields: [
    ...fiatFields({
      currencies: usdCurrencies,
      transfers: usdTransfers,
      methods: usdMethods,
      routingType: choiceField("routing_code_type_1", "Follows the transfer type.", [
        "ACH CODE",
        "SWIFT",
      ]),
      routingValue: {
        description:
          "A BIC if the routing code type is SWIFT, an ABA routing number if it is ACH CODE.",
        example: "021000021",
        variants: [
          { when: isSwift, example: "CHASUS33", pattern: bicPattern },
          {
            when: { field: "transfer_type", in: ["ACH", "LOCAL"] },
            example: "021000021",
            pattern: routingNumberPattern,
          },
        ],
      },
      required: false,
      account: "Payout account. An IBAN may have blanks and lower-case letters.",
      accountForm: ibanForm("[A-Za-z0-9]+(?: [A-Za-z0-9]+)*"),
      residenceRequired: false,
      bankRequired: { field: "routing_code_type_1", in: ["SWIFT"] },
    }),
    referenceField,
    metadataField,
  ],
  rules: [
    typeFitsTransfer,
    domestic,
    routingNumber,
    iban,
    ...nameRules,
    latinName,
    latinNameIsLatin,
    stateGiven,
    postcodeGiven(residence),
    addressFits(["SWIFT", "LOCAL"]),
  ],
};

const inIndia: Rule = {
  description: "For INR, the destination country must be IN.",
  reads: ["destination_country"],
  reports: "destination_country",
  check: (text) => (text("destination_country") === "IN" ? undefined : "must be IN"),
};

const branchCode: Rule = {
  description: "The routing code must be an IFSC.",
  reads: ["routing_code_value_1"],
  reports: "routing_code_value_1",
  check: (text) => (isIfsc(text("routing_code_value_1")) ? undefined : "must be a valid IFSC"),
};

const inrFields = fiatFields({
  currencies: ["INR"],
  transfers: ["LOCAL"],
  methods: inrMethods,
  routingType: textField("routing_code_type_1", "Routing code type, as a rule IFSC.", "IFSC"),
  routingValue: {
    description: "IFSC of the branch.",
    example: "HDFC0000001",
    pattern: { source: "^[A-Z]{4}0[A-Z0-9]{6}$", problem: "must be a valid IFSC" },
  },
  required: true,
  account: "Payout account.",
  residenceRequired: true,
  bankRequired: true,
  more: [
    choiceField("currency_type", "Kind of currency.", ["Fiat"]),
    choiceField("beneficiary_bank_account_type", "Kind of bank account.", [
      "Business Checking",
      "Business Savings",
      "Personal Checking",
      "Personal Savings",
    ]),
  ],
});

const inrExamples: Readonly<Record<string, string>> = {
  beneficiary_first_name: "Asha",
  beneficiary_last_name: "Rao",
  beneficiary_name: "Rao Exports Private Limited",
  beneficiary_name_latin: "Asha Rao",
  beneficiary_email: "asha.rao@example.com",
  destination_country: "IN",
  beneficiary_country_code: "IN",
  beneficiary_state: "Maharashtra",
  beneficiary_address: "1 Marine Drive",
  beneficiary_city: "Mumbai",
  beneficiary_postcode: "400020",
  beneficiary_account_number: "50100123456789",
  beneficiary_contact_country_code: "91",
  beneficiary_contact_number: "9820012345",
  beneficiary_alias: "asha",
  beneficiary_bank_address: "2 Fort Road",
  beneficiary_bank_city: "Mumbai",
  beneficiary_bank_postcode: "400001",
  beneficiary_bank_state: "Maharashtra",
  beneficiary_bank_country_code: "IN",
  counter_party_alias: "asha-inr",
};

function withInrExample(field: Field): Field {
  const example = inrExamples[field.name];
  if (example === undefined || !("maxLength" in field)) return field;
  const { variants = [] } = field;
  const ofCompany = inrExamples.beneficiary_name ?? example;
  return {
    ...field,
    example,
    variants: variants.map((each) =>
      each.example === undefined ? each : { ...each, example: ofCompany },
    ),
  };
}

/** Service interface, "INR beneficiary". Every field of its table is required. */
const inrBeneficiary: Form = {
  name: "fiat_beneficiary_inr",
  description: "A bank account that is paid in INR.",
  selectedBy: [{ field: "destination_currency", in: ["INR"] }],
  fields: [...inrFields.map(withInrExample), referenceField, metadataField],
  rules: [
    inIndia,
    branchCode,
    ...nameRules,
    latinName,
    latinNameIsLatin,
    stateGiven,
    postcodeGiven(residence),
    addressFits(["LOCAL"]),
  ],
};

export const fiatBeneficiary: PublicBody = {
  name: "fiat_beneficiary",
  description: "A beneficiary that is paid to a bank account.",
  forms: [usdBeneficiary, inrBeneficiary, eurBeneficiary],
  unselected: {
    name: "fiat_beneficiary",
    description: "A beneficiary whose currency is not paid to bank accounts.",
    selectedBy: [],
    fields: [
      ...fiatFields({
        currencies: [...usdCurrencies, "INR", "EUR"],
        transfers: [...usdTransfers, "SEPA"],
        methods: {},
        routingType: textField("routing_code_type_1", "Follows the transfer type.", "ACH CODE"),
        routingValue: { description: "Routing code of the given type.", example: "021000021" },
        required: false,
        account: "Payout account.",
        residenceRequired: false,
        bankRequired: false,
      }),
      referenceField,
      metadataField,
    ],
    rules: nameRules,
  },
};
