import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { buildMatcher, type Party } from "@disburse/name-matcher/matcher.ts";
import { runQueries } from "@disburse/name-matcher/measure/recall.ts";
import { expect, it } from "vitest";
import { buildBankIndex } from "../banks/rules/bank.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import { screen } from "../screening/rules/screening.ts";
import { buildWalletIndex } from "../wallets/rules/wallet.ts";
import { measuredVersion } from "./measured-store.ts";

const entry: ListEntry = {
  uid: "e1",
  source: "",
  type: "individual",
  names: [{ name: "ZHDANOVSKI, Tamerlan", kind: "primary" }],
  births: ["1966-09-08"],
  countries: [],
  documents: [],
  wallets: [],
  programs: [],
};
const matcher = buildMatcher([entry], matcherConfig);
const inForce = {
  lists: [measuredVersion],
  matcher,
  wallets: buildWalletIndex([entry]),
  banks: buildBankIndex([entry]),
  listOf: () => measuredVersion,
};

it.each([
  ["a listed name", "Tamerlan Zhdanovski", "", "block"],
  ["a listed name with another birth date", "Tamerlan Zhdanovski", "1990-01-01", "review"],
  ["a similar name with another birth date", "Tamerlan Zhdanowskyj", "1990-01-01", "review"],
  ["a name that cannot be compared", "☂☂", "", "review"],
  ["a name that cannot be compared whole", "Jane Sm\ufffdth", "", "review"],
  ["another name", "Jane Smith", "", "clear"],
])("the benchmark judges %s as a screening does", (_, name, date, verdict) => {
  const party: Party = { type: "individual", name, date, countries: [], documents: [] };
  const query = { id: "q", kind: "exact", expected: null, accept: [], party };
  expect(screen({ parties: [party], wallets: [] }, inForce).verdict).toBe(verdict);
  expect(runQueries(matcher, [query])).toMatchObject([{ verdict }]);
});
