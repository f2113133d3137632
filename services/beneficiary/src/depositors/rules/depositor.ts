import { type Fields, fieldsOf, listOf, textOf } from "../../records/rules/private-fields.ts";
import { newRecord, type Origin } from "../../records/rules/record.ts";
import { type Party, party, type ScreeningScope } from "../../records/rules/screening.ts";

/** Creates a depositor from its checked body. A wallet address is stored in canonical form. */
export function newDepositor(origin: Origin, body: Fields, walletAddress: string | undefined) {
  if (walletAddress === undefined) return newRecord(origin, body);
  return newRecord(origin, { ...body, depositor_wallet_address: walletAddress });
}

/**
 * Returns the parties to screen: a person, or a business with its owners, and the wallet. For the
 * merchant's own business, only the wallet is screened.
 */
export function depositorScope(whole: Fields): ScreeningScope {
  const address = textOf(whole, "depositor_wallet_address");
  const wallets = address === "" ? [] : [{ networks: [], address }];
  return { parties: depositorParties(whole), wallets, banks: [] };
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

/** Private fields that the merchant may read, because they identify no person. */
const shownPrivate: ReadonlySet<string> = new Set([
  "depositor_wallet_address",
  "depositor_business_id",
]);

export function isShown(field: string): boolean {
  return shownPrivate.has(field);
}
