import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { buildMatcher } from "@disburse/name-matcher/matcher.ts";
import { listedParties, riskyWallets, sandboxListLines } from "@disburse/sandbox/sandbox-list.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseListLine } from "../lists/formats/json-lines.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import { buildWalletIndex, canonicalWallet } from "../wallets/rules/wallet.ts";

const lines = sandboxListLines().trimEnd().split("\n");
const entries = lines.map((line) => {
  const entry = parseListLine(line);
  if ("problem" in entry) throw new Error(entry.problem);
  return entry;
});
const matcher = buildMatcher(entries, matcherConfig);
const typeOf = { Individual: "individual", Corporate: "entity" } as const;

function hits(name: string, type: ListEntry["type"], date = "", country = "") {
  const countries = country === "" ? [] : [country];
  return matcher.match({ type, name, date, countries, documents: [] });
}

describe("the sandbox's list", () => {
  it("has individuals and companies, each found at once", () => {
    const types = listedParties.map(({ type }) => type);
    expect(types.filter((type) => type === "Individual").length).toBeGreaterThanOrEqual(3);
    expect(types.filter((type) => type === "Corporate").length).toBeGreaterThanOrEqual(2);
    for (const { name, type, date_of_birth, country } of listedParties) {
      expect(hits(name, typeOf[type], date_of_birth, country)[0]?.verdict).toBe("block");
    }
  });

  it("finds its names in capitals, in any order and misspelt by one letter, whatever the date", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    fc.assert(
      fc.property(
        fc.constantFrom(...listedParties),
        fc.nat(80),
        fc.constantFrom("", ...letters),
        fc.boolean(),
        fc.boolean(),
        (party, at, by, capitals, backwards) => {
          const place = at % party.name.length;
          const misspelt = party.name.slice(0, place) + by + party.name.slice(place + 1);
          const words = misspelt.split(" ");
          const name = (backwards ? words.toReversed() : words).join(" ");
          const found = hits(
            capitals ? name.toUpperCase() : name,
            typeOf[party.type],
            "1990-01-01",
          );
          expect(["review", "block"]).toContain(found[0]?.verdict);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("matches no other name", () => {
    for (const name of ordinaryPeople())
      expect([name, hits(name, "individual")]).toEqual([name, []]);
    for (const name of ordinaryCompanies())
      expect([name, hits(name, "entity")]).toEqual([name, []]);
    // The owners of the listed wallets are real, so their own names must not match either.
    for (const name of ["Lazarus Group", "Ali Khorashadizadeh", "Fengbing Xia", "OFAC"]) {
      expect([hits(name, "individual"), hits(name, "entity")]).toEqual([[], []]);
    }
  });

  it("lists wallets that are valid on their networks", () => {
    const index = buildWalletIndex(entries);
    const families = { ETHEREUM: "evm", BTC: "bitcoin", TRX: "tron" } as const;
    for (const network of ["ETHEREUM", "BTC", "TRX"] as const) {
      expect(canonicalWallet(families[network], riskyWallets[network])).toBeDefined();
      expect(index.find([families[network]], riskyWallets[network])).toHaveLength(1);
    }
  });
});

const firstNames =
  `John Jane Maria Ravi Ahmed Mohammed Wei Olga Carlos Fatima David Anna Chen Yuki Pierre Lars
  Ivan Priya Sofia Omar Marek Zoltan Andrea Viktor Oscar`.split(/\s+/);
const surnames =
  `Smith Doe Garcia Kumar Hassan Ali Zhang Petrova Lopez Khan Miller Kowalski Li Tanaka Dupont
  Hansen Ivanov Sharma Rossi Brandt Vasquez Marvin Quimby Oskar Dzhumabaev`.split(/\s+/);

function ordinaryPeople(): string[] {
  return firstNames.flatMap((first) => surnames.map((last) => `${first} ${last}`));
}

const firms =
  `Acme Global Quantum Maritime Oskar Brel Pacific Atlas Delta Orion Apex Vertex Northern Star Blue
  Emirates Panama Petro Digital Address Currency`.split(/\s+/);
const trades =
  `Supplies Trading Maritime Petrochem Logistics Holdings Shipping Designation Services Energy
  Consulting Foods`.split(/\s+/);

function ordinaryCompanies(): string[] {
  const forms = ["Ltd", "LLC", "GmbH"];
  return firms.flatMap((firm) =>
    trades.flatMap((trade) => forms.map((form) => `${firm} ${trade} ${form}`)),
  );
}
