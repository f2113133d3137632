import {
  type Field,
  type Form,
  type ObjectField,
  optional,
  type PublicBody,
  type Rule,
} from "../fields/field.ts";
import {
  birthDateField,
  choiceField,
  countryField,
  dateField,
  documentField,
  lengths,
  textField,
} from "../fields/make.ts";
import { companyName, personNames } from "./names.ts";

/** Service interface, "Depositor (request fields)". */

/**
 * Banks ask for owners of 5 % or more, so 20 at most. A body may have 200 keys (reliability: server
 * limits) and each owner uses nine. One screening covers the company and all its owners.
 */
const ownersMax = 20;

function objectField(
  name: string,
  description: string,
  fields: readonly Field[],
  rules: readonly Rule[] = [],
): ObjectField {
  return { name, kind: "object", required: true, description, fields, rules };
}

const person = objectField(
  "person_details",
  "The person.",
  [
    textField("firstname", "First name.", "Jane"),
    textField("lastname", "Last name.", "Doe"),
    countryField("citizenship", "Country of citizenship."),
    countryField("country_of_birth", "Country of birth."),
    birthDateField("date_of_birth"),
  ],
  personNames("firstname", "lastname", { allowsDash: true }),
);

const address = objectField("address", "Residential or registered address of the depositor.", [
  textField("address1", "Address line.", "1 Main Street"),
  textField("city", "City.", "New York"),
  countryField("country", "Country."),
  textField("state", "State.", "NY"),
  textField("zip_code", "Post code.", "10001", { maxLength: lengths.postcode }),
]);

const documents = objectField("documents", "A document of the person.", [
  textField("document_type", "Kind of document.", "DRIVING_LICENSE"),
  documentField("document_number", "Number of the document.", "X1234567"),
]);

const relation = textField(
  "depositor_relation",
  "Relation of the depositor to the merchant; `business` is the merchant's own business.",
  "external",
);

const type = choiceField("depositor_type", "Type of depositor.", ["Individual", "Corporate"]);

const wallet = textField(
  "depositor_wallet_address",
  "Wallet address that is valid on one of the networks. Burn addresses, precompiles, system accounts and token contracts are refused.",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  { maxLength: lengths.wallet, normal: { of: "wallet" } },
);

const selfBusiness: Form = {
  name: "depositor_self_business",
  description: "A depositor that is the merchant's own business.",
  selectedBy: [{ field: "depositor_relation", in: ["business"] }],
  fields: [
    { ...relation, example: "business" },
    wallet,
    textField("depositor_business_id", "The merchant's own id of the business.", "biz_123", {
      maxLength: lengths.businessId,
    }),
  ],
};

const individual: Form = {
  name: "depositor_individual",
  description: "A person.",
  selectedBy: [{ field: "depositor_type", in: ["Individual"] }],
  fields: [
    relation,
    type,
    objectField("depositor_details", "Personal info.", [person, address, documents]),
    optional(wallet),
  ],
};

const corporate: Form = {
  name: "depositor_corporate",
  description: "A depositor that is a company, with its owners.",
  selectedBy: [{ field: "depositor_type", in: ["Corporate"] }],
  fields: [
    relation,
    type,
    objectField(
      "depositor_business_details",
      "Business info.",
      [
        documentField(
          "business_identification_number",
          "EIN, registration number or tax id.",
          "12-3456789",
        ),
        textField("name", "Name of the business.", "Doe Trading LLC"),
        textField("business_type", "Legal form.", "LIMITED_LIABILITY_COMPANY"),
        dateField("date_of_incorporation", "Date of incorporation.", "2012-09-03"),
        address,
      ],
      [companyName("name")],
    ),
    {
      name: "company_owner_details",
      kind: "list",
      required: true,
      description: "The owners of the company. At least one is required.",
      maxItems: ownersMax,
      fields: [person, documents],
    },
    wallet,
  ],
};

/** `POST /api/v1/depositor`. `wallet-address.ts` checks the wallet address. */
export const depositor: PublicBody = {
  name: "depositor",
  description: "A party that funds the merchant's account from a wallet.",
  forms: [selfBusiness, individual, corporate],
  unselected: {
    name: "depositor",
    description: "A depositor whose relation and type select none of the other forms.",
    selectedBy: [],
    fields: [relation, type, optional(wallet)],
  },
};
