import { expect, it } from "vitest";
import type { Fields } from "../records/rules/private-fields.ts";
import { destinationOf } from "./destination.ts";

const iban = "DE89370400440532013000";
const account = (number: string, code: string): Fields => ({
  beneficiary_account_number: number,
  routing_code_value_1: code,
});
const destination = (whole: Fields) => destinationOf({ kind: "fiat" }, whole);

it.each<[what: string, one: Fields, other: Fields]>([
  ["an IBAN over SEPA and over SWIFT", { iban }, account(iban, "COBADEFF")],
  ["an IBAN with and without a BIC", { iban }, { iban, bic: "COBADEFFXXX" }],
  ["a BIC with a branch", account("123456", "CHASUS33"), account("123456", "CHASUS33XXX")],
  ["another branch of the bank", account("123456", "CHASUS33"), account("123456", "CHASUSU3ARP")],
  ["an IFSC and the bank's BIC", account("50100", "HDFC0001234"), account("50100", "HDFCINBB")],
  ["another IFSC of the bank", account("50100", "HDFC0001234"), account("50100", "HDFC0000001")],
  ["zeros before the number", account("000123", "021000021"), account("123", "021000021")],
  ["signs within the number", account("12-34 56", "021000021"), account("123456", "021000021")],
  ["letters of another case", account("ab12", "CHASUS33"), account("AB12", "CHASUS33")],
  [
    "another name, currency and method",
    {
      ...account("1", "CHASUS33"),
      beneficiary_first_name: "Jane",
      destination_currency: "USD",
    },
    {
      ...account("1", "CHASUS33"),
      beneficiary_name: "Doe LLC",
      destination_currency: "USDC",
    },
  ],
])("%s is the same account", (_what, one, other) => {
  expect(destination(other)).toBe(destination(one));
});

it.each<[what: string, one: Fields, other: Fields]>([
  ["another number", account("123456", "CHASUS33"), account("123457", "CHASUS33")],
  ["another bank", account("123456", "CHASUS33"), account("123456", "BOFAUS3N")],
  ["another routing number", account("123456", "021000021"), account("123456", "011000015")],
  ["the bank in another country", account("123456", "CHASUS33"), account("123456", "CHASGB2L")],
  ["another IBAN", { iban }, { iban: "DE02120300000000202051" }],
  ["only zeros", account("0", "CHASUS33"), account("1", "CHASUS33")],
])("%s is another account", (_what, one, other) => {
  expect(destination(other)).not.toBe(destination(one));
});

it("a wallet is the same on every network, and case matters unless it is a checksum", () => {
  const wallet = (address: string, network: string) =>
    destinationOf(
      { kind: "crypto" },
      { beneficiary_account_number: address, routing_code_value_1: network },
    );
  expect(wallet("0xAb", "POL")).toBe(wallet("0xAb", "ETHEREUM"));
  expect(wallet("TabcD", "TRX")).not.toBe(wallet("TabcE", "TRX"));
});
