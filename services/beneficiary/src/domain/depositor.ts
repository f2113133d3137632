import { type Fields, fieldsOf, listOf, textOf } from "./private-fields.ts";
import { type Party, party, type Screening, type ScreeningScope } from "./screening.ts";

/** What the merchant is told of a depositor. */
export type Depositor = {
  readonly id: string;
  readonly merchantId: string;
  /** The public body without the private fields that are not shown. */
  readonly fields: Fields;
  readonly screening: Screening;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A depositor and the whole body that it was made of, before the private part is sealed. */
export type NewDepositor = Depositor & { readonly whole: Fields };

type Origin = {
  readonly id: string;
  readonly merchantId: string;
  readonly screening: Screening;
  readonly now: Date;
};

/** A depositor from its checked body, and its wallet in canonical form where it has one. */
export function newDepositor(
  { id, merchantId, screening, now }: Origin,
  body: Fields,
  walletAddress: string | undefined,
): NewDepositor {
  return {
    id,
    merchantId,
    fields: {},
    screening,
    createdAt: now,
    updatedAt: now,
    whole:
      walletAddress === undefined ? body : { ...body, depositor_wallet_address: walletAddress },
  };
}

/**
 * Whom and what compliance screens: the person, or the business with its owners, and the wallet.
 * The merchant's own business names nobody: its wallet is all that there is.
 */
export function depositorScope(whole: Fields): ScreeningScope {
  const address = textOf(whole, "depositor_wallet_address");
  const wallets = address === "" ? [] : [{ networks: [], address }];
  return { parties: depositorParties(whole), wallets };
}

function depositorParties(whole: Fields): readonly Party[] {
  const parties: Party[] = [];
  const person = fieldsOf(whole, "depositor_details");
  if (Object.keys(person).length > 0) parties.push(personParty(person));
  const business = fieldsOf(whole, "depositor_business_details");
  if (Object.keys(business).length > 0) parties.push(businessParty(business));
  return [...parties, ...listOf(whole, "company_owner_details").map(personParty)];
}

function personParty(person: Fields): Party {
  const details = fieldsOf(person, "person_details");
  const name = `${textOf(details, "firstname")} ${textOf(details, "lastname")}`;
  return party("individual", name, {
    date: textOf(details, "date_of_birth"),
    countries: [
      textOf(details, "citizenship"),
      textOf(details, "country_of_birth"),
      textOf(fieldsOf(person, "address"), "country"),
    ],
    documentIds: [textOf(fieldsOf(person, "documents"), "document_number")],
  });
}

function businessParty(business: Fields): Party {
  return party("entity", textOf(business, "name"), {
    date: textOf(business, "date_of_incorporation"),
    countries: [textOf(fieldsOf(business, "address"), "country")],
    documentIds: [textOf(business, "business_identification_number")],
  });
}

/**
 * Private fields that the merchant may read again: they name no person. What else is sealed,
 * numbers of documents and dates of birth, is shown to nobody.
 */
const shownPrivate: ReadonlySet<string> = new Set([
  "depositor_wallet_address",
  "depositor_business_id",
]);

/** Whether a private field is part of the body that the merchant reads. */
export function isShown(field: string): boolean {
  return shownPrivate.has(field);
}
