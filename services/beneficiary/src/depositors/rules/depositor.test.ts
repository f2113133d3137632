import { expect, it } from "vitest";
import { type Fields, splitPrivate } from "../../records/rules/private-fields.ts";
import { pendingScreening } from "../../records/rules/screening.ts";
import { depositorScope, isShown, newDepositor } from "./depositor.ts";

const now = new Date("2026-11-20T11:26:00.000Z");
const screening = pendingScreening(now, 1_000);
const origin = { id: "dep_1", merchantId: "mer_a", screening, now };

const person = (firstname: string): Fields => ({
  person_details: {
    firstname,
    lastname: "Doe",
    citizenship: "US",
    country_of_birth: "FR",
    date_of_birth: "1985-04-12",
  },
  documents: { document_type: "PASSPORT", document_number: `X-${firstname}` },
});

const screened = (firstname: string, countries: string[]) => ({
  type: "individual",
  name: `${firstname} Doe`,
  date: "1985-04-12",
  countries,
  documentIds: [`X-${firstname}`],
});

const individual: Fields = { depositor_details: { ...person("Jane"), address: { country: "US" } } };

const corporate: Fields = {
  depositor_business_details: {
    name: "Doe LLC",
    business_identification_number: "12-3456789",
    date_of_incorporation: "2012-09-03",
    address: { country: "GB" },
  },
  company_owner_details: [person("Ann"), person("Ben")],
  depositor_wallet_address: "0xa",
};

const own: Fields = { depositor_business_id: "BUS-1", depositor_wallet_address: "0xa" };

it("screens the person, or the business with all its owners, and the wallet", () => {
  const wallets = [{ networks: [], address: "0xa" }];
  const person = { parties: [screened("Jane", ["US", "FR"])], wallets: [], banks: [] };
  expect(depositorScope(individual)).toEqual(person);
  expect(depositorScope(corporate)).toEqual({
    parties: [
      {
        type: "entity",
        name: "Doe LLC",
        date: "2012-09-03",
        countries: ["GB"],
        documentIds: ["12-3456789"],
      },
      screened("Ann", ["US", "FR"]),
      screened("Ben", ["US", "FR"]),
    ],
    wallets,
    banks: [],
  });
  expect(depositorScope(own)).toEqual({ parties: [], wallets, banks: [] });
});

it("keeps the canonical address, and the body of one without a wallet as it is", () => {
  expect(newDepositor(origin, individual, undefined).whole).toBe(individual);
  expect(newDepositor(origin, own, "0xA").whole).toEqual({
    ...own,
    depositor_wallet_address: "0xA",
  });
});

it("shows the wallet and the business id again, and no document or birth date", () => {
  const shown = (body: Fields) => Object.keys(splitPrivate(body).secrets).filter(isShown);
  expect(shown(own)).toEqual(["depositor_business_id", "depositor_wallet_address"]);
  expect(shown(individual)).toEqual([]);
  expect(shown({ ...corporate, depositor_wallet_address: "0xa" })).toEqual([
    "depositor_wallet_address",
  ]);
});
