import { expect, it } from "vitest";
import { depositorParties, isShown, newDepositor } from "./depositor.ts";
import { type Fields, splitPrivate } from "./private-fields.ts";
import { pendingScreening, screeningResult } from "./screening.ts";

const now = new Date("2026-11-20T11:26:00.000Z");
const pending = pendingScreening(now, 1_000);
const origin = { id: "dep_1", merchantId: "mer_a", pending, now };
const wallet = { address: "0xA", screening: screeningResult("clear", "scr_1", now) };

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

it("screens the person, or the business with all its owners", () => {
  expect(depositorParties(individual)).toEqual([screened("Jane", ["US", "FR"])]);
  expect(depositorParties(corporate)).toEqual([
    {
      type: "entity",
      name: "Doe LLC",
      date: "2012-09-03",
      countries: ["GB"],
      documentIds: ["12-3456789"],
    },
    screened("Ann", ["US", "FR"]),
    screened("Ben", ["US", "FR"]),
  ]);
  expect(depositorParties(own)).toEqual([]);
});

it("is pending while parties are to be screened, and as its wallet where there are none", () => {
  expect(newDepositor(origin, individual, undefined).screening).toBe(pending);
  expect(newDepositor(origin, corporate, wallet).screening).toBe(pending);
  expect(newDepositor(origin, own, wallet).screening).toBe(wallet.screening);
});

it("keeps the canonical address", () => {
  expect(newDepositor(origin, own, wallet).whole).toEqual({
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
