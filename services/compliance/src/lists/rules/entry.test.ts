import { describe, expect, it } from "vitest";
import { entryFingerprint, type ListEntry } from "./entry.ts";

const entry: ListEntry = {
  uid: "1",
  source: "",
  type: "individual",
  names: [
    { name: "Orlan Vessik", kind: "primary" },
    { name: "O. Vessik", kind: "weak" },
  ],
  births: ["1961-02-03", "1962"],
  countries: ["KP", "SY"],
  documents: [
    { type: "passport", number: "X1234567", country: "SY" },
    { type: "tax number", number: "555666", country: "" },
  ],
  wallets: [{ currency: "XBT", address: "invented" }],
  programs: ["DEMO"],
};

describe("an entry's fingerprint", () => {
  it.each([
    ["its programmes", { programs: ["OTHER"] }],
    ["the order of its names", { names: entry.names.toReversed() }],
    ["the order of its documents", { documents: entry.documents.toReversed() }],
    ["the order of its dates", { births: entry.births.toReversed() }],
    ["the ticker of a wallet", { wallets: [{ currency: "ETH", address: "invented" }] }],
  ])("is the same whatever %s", (_what, change: Partial<ListEntry>) => {
    expect(entryFingerprint({ ...entry, ...change })).toBe(entryFingerprint(entry));
  });

  const changes: [string, Partial<ListEntry>][] = [
    ["type", { type: "entity" }],
    ["name", { names: [{ name: "Orlan Vesik", kind: "primary" }] }],
    ["kind of name", { names: entry.names.map(({ name }) => ({ name, kind: "alias" })) }],
    ["birth date", { births: ["1961-02-04", "1962"] }],
    ["country", { countries: ["KP"] }],
    ["document's number", { documents: [{ type: "passport", number: "X1", country: "SY" }] }],
    ["document's country", { documents: entry.documents.map((one) => ({ ...one, country: "" })) }],
    ["BIC", { documents: entry.documents.map((one) => ({ ...one, type: "SWIFT/BIC" })) }],
    ["wallet", { wallets: [] }],
  ];
  it.each(changes)("changes with a %s", (_what, change) => {
    expect(entryFingerprint({ ...entry, ...change })).not.toBe(entryFingerprint(entry));
  });
});
