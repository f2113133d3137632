import type { Party } from "@disburse/name-matcher/matcher.ts";
import { describe, expect, it } from "vitest";
import type { Wallet } from "../../wallets/rules/wallet.ts";
import { screenedForm, screenedForms } from "./screened-form.ts";

const party: Party = {
  type: "individual",
  name: "Orlan Vessik",
  date: "1961-02-03",
  countries: ["SY", "KP"],
  documents: [
    { number: "X 123-4567", country: "SY" },
    { number: "98765", country: "" },
  ],
};
const evm = `0x${"aB".repeat(20)}`;
const wallet: Wallet = { families: ["evm"], address: evm };
const formOf = (changed: Party) => screenedForm({ parties: [changed], wallets: [] }, 0);
const walletFormOf = (changed: Wallet) => screenedForm({ parties: [], wallets: [changed] }, 0);

describe("the compared data of a party", () => {
  const same: [string, Partial<Party>][] = [
    ["capitals", { name: "ORLAN VESSIK" }],
    ["spaces", { name: " Orlan  Vessik " }],
    ["the order of countries", { countries: ["KP", "SY"] }],
    ["the order of documents", { documents: party.documents.toReversed() }],
    [
      "how a number is written",
      { documents: [{ number: "x1234567", country: "SY" }, ...party.documents.slice(1)] },
    ],
  ];
  it.each(same)("is the same whatever %s", (_what, change) => {
    expect(formOf({ ...party, ...change })).toBe(formOf(party));
  });

  const others: [string, Partial<Party>][] = [
    ["type", { type: "entity" }],
    ["name", { name: "Orlan Vesik" }],
    ["date", { date: "" }],
    ["country", { countries: ["SY"] }],
    ["document", { documents: party.documents.slice(1) }],
    ["issuing country", { documents: party.documents.map((each) => ({ ...each, country: "" })) }],
  ];
  it.each(others)("changes with its %s", (_what, change) => {
    expect(formOf({ ...party, ...change })).not.toBe(formOf(party));
  });
});

describe("the compared data of a wallet", () => {
  it("is its canonical address in its families", () => {
    const upper = { ...wallet, address: `0x${evm.slice(2).toUpperCase()}` };
    expect(walletFormOf(upper)).toBe(walletFormOf(wallet));
    const other = { ...wallet, address: `0x${"ac".repeat(20)}` };
    expect(walletFormOf(other)).not.toBe(walletFormOf(wallet));
  });
});

it("distinguishes parties and wallets of one request by their place", () => {
  const request = { parties: [party], wallets: [wallet] };
  expect(screenedForms(request)).toEqual([screenedForm(request, 0), screenedForm(request, 1)]);
  expect(screenedForm(request, 1)).toBe(walletFormOf(wallet));
  expect(() => screenedForm(request, 2)).toThrow("a hit's subject index is not in the request");
});
