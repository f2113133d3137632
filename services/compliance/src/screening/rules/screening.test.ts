import { matcherConfig } from "@disburse/name-matcher/config.ts";
import type { EntryType } from "@disburse/name-matcher/entry.ts";
import { buildMatcher, type Party } from "@disburse/name-matcher/matcher.ts";
import { riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { describe, expect, it } from "vitest";
import { buildBankIndex } from "../../banks/rules/bank.ts";
import { entryFingerprint, type ListEntry } from "../../lists/rules/entry.ts";
import { buildWalletIndex } from "../../wallets/rules/wallet.ts";
import { hitsMax } from "./hit.ts";
import { screen } from "./screening.ts";

const listed = (uid: string, type: EntryType, name: string): ListEntry => ({
  ...{ uid, type, source: "", births: [], countries: [], documents: [] },
  ...{ names: [{ name, kind: "primary" }], wallets: [], programs: [] },
});
const party = (type: EntryType, name: string): Party => ({
  ...{ type, name, date: "", countries: [], documents: [] },
});
const version = {
  ...{ list: "l", version: "1", importId: "1", entries: 1, checksum: "" },
  importedAt: new Date(0),
};
const inForce = (entries: readonly ListEntry[]) => ({
  lists: [version],
  matcher: buildMatcher(entries, matcherConfig),
  wallets: buildWalletIndex(entries),
  banks: buildBankIndex(entries),
  listOf: () => version,
});

describe("a screening of several parties with more hits than it lists", () => {
  // The exact name of the other type is a review, despite the highest possible score.
  const reviews = Array.from({ length: hitsMax + 5 }, (_each, at) =>
    listed(`review-${at}`, "entity", "Tamerlan Zhdanovski"),
  );
  const block = listed("block", "individual", "Ondrecka Vashtibor Karavellin");
  const lists = inForce([...reviews, block]);
  const reviewed = party("individual", "Tamerlan Zhdanovski");
  const blocked = party("individual", "Ondrecka Vashtibor Karavelin");
  const screened = (parties: readonly Party[]) => screen({ parties, wallets: [] }, lists);

  it.each([
    ["last", [reviewed, blocked], 1],
    ["first", [blocked, reviewed], 0],
  ])("lists the block of the %s party before all reviews of better scores", (_, parties, place) => {
    const { verdict, hits } = screened(parties);
    expect(verdict).toBe("block");
    expect(hits).toHaveLength(hitsMax);
    expect(hits[0]).toMatchObject({ entryUid: "block", subjectIndex: place, verdict: "block" });
    const rest = hits.slice(1);
    expect(rest.map((hit) => hit.verdict)).toEqual(rest.map(() => "review"));
    expect(hits[0]?.score).toBeLessThan(Math.min(...rest.map((hit) => hit.score)));
  });

  it("lists the better score first among hits of one verdict", () => {
    const exact = party("individual", "Ondrecka Vashtibor Karavellin");
    const { hits } = screened([blocked, exact, reviewed]);
    const blocks = hits.slice(0, 2).map(({ verdict, subjectIndex }) => [verdict, subjectIndex]);
    expect(blocks).toEqual([
      ["block", 1],
      ["block", 0],
    ]);
  });
});

it("names the party if there are several", () => {
  const lists = inForce([listed("e1", "individual", "Tamerlan Zhdanovski")]);
  const namesake = party("individual", "Tamerlan Zhdanovski");
  const text = (parties: readonly Party[]) =>
    screen({ parties, wallets: [] }, lists).hits[0]?.reasons[0]?.text;
  const alone = text([namesake]);
  expect(alone).not.toMatch(/^party/);
  expect(text([party("individual", "John Smith"), namesake])).toBe(`party 2 of 2: ${alone}`);
});

it("reads a company's letters as one abbreviation, and a person's as too many names", () => {
  const letters = "A.".repeat(25);
  const found = (type: EntryType) =>
    screen({ parties: [party(type, letters)], wallets: [] }, inForce([])).hits.map(
      ({ entryUid, entryType }) => [entryUid, entryType],
    );
  expect(found("individual")).toEqual([["unreadable-name", "individual"]]);
  expect(found("entity")).toEqual([]);
});

it("shows a listed wallet as a whole hit, after the parties", () => {
  const entry: ListEntry = {
    ...{ ...listed("e1", "entity", "Vessik Ltd"), source: "UN", programs: ["SDGT"] },
    wallets: [{ currency: "ETH", address: riskyWallets.ETHEREUM }],
  };
  const wallets = [{ families: ["evm"], address: riskyWallets.ETHEREUM }] as const;
  const parties = [party("individual", "John Smith")];
  expect(screen({ parties, wallets }, inForce([entry]))).toStrictEqual({
    verdict: "block",
    hits: [
      {
        ...{ list: "l", listVersion: "1", entryUid: "e1", entryType: "entity", source: "UN" },
        ...{ programs: ["SDGT"], entryFingerprint: entryFingerprint(entry), subjectIndex: 1 },
        ...{ matchedName: "Vessik Ltd", score: 1, nameScore: 0, verdict: "block" },
        reasons: [{ kind: "wallet", text: "wallet: this address is listed as ETH", effect: 1 }],
        ...{ parts: [], partyLeftOver: [], entryLeftOver: [] },
      },
    ],
  });
});
