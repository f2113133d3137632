import { expect, it } from "vitest";
import type { TokenKind } from "../tokens/token-kinds.ts";
import { type Alignment, isContained } from "./alignment.ts";

type Listed = readonly (readonly [text: string, kind: TokenKind])[];

/** Whether a listed name is contained in a party's that has other words after it. */
function contains(listed: Listed): boolean {
  const entry = listed.map(([text, kind]) => ({ text, kind }));
  const party = [...entry, { text: "london", kind: "name" }, { text: "branch", kind: "trade" }];
  const links = entry.map((_each, at) => ({ party: 1 << at, entry: 1 << at }));
  return isContained({ links } as unknown as Alignment, party as never, entry as never);
}

it.each<readonly [string, Listed, boolean]>([
  [
    "two names",
    [
      ["vexil", "name"],
      ["moran", "name"],
    ],
    true,
  ],
  [
    "a name and a trade",
    [
      ["vexil", "name"],
      ["shipping", "trade"],
    ],
    true,
  ],
  [
    "two trades",
    [
      ["general", "trade"],
      ["shipping", "trade"],
    ],
    false,
  ],
  [
    "one name and a particle",
    [
      ["al", "particle"],
      ["vexil", "name"],
    ],
    false,
  ],
  [
    "one name and its legal form",
    [
      ["vexil", "name"],
      ["ltd", "legal"],
    ],
    false,
  ],
])("a listed name of %s", (_of, listed, isFound) => {
  expect(contains(listed)).toBe(isFound);
});
