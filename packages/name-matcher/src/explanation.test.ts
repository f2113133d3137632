import { expect, it } from "vitest";
import { matcherConfig } from "./config.ts";
import { type AlignedNames, alignmentReasons } from "./explanation.ts";

const token = (text: string) => ({
  ...{ text, canonical: text, skeleton: text, kind: "name" as const },
  ...{ weight: 1, missingWeight: 1, conflictWeight: 1 },
});

it("names that share no token give no reason, not even their unmatched tokens", () => {
  const left = { bits: 1, cost: 0.5 };
  const names = {
    alignment: { links: [], matched: 0, possible: 1, score: 0, party: left, entry: left },
    ...{ party: [token("orlan")], entry: [token("vessik")] },
  } as unknown as AlignedNames;
  expect(alignmentReasons(names, matcherConfig)).toEqual([]);
});
