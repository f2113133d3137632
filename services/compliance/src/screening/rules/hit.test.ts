import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { buildMatcher, type Party } from "@disburse/name-matcher/matcher.ts";
import { describe, expect, it } from "vitest";
import { buildBankIndex } from "../../banks/rules/bank.ts";
import type { ListEntry } from "../../lists/rules/entry.ts";
import { buildWalletIndex } from "../../wallets/rules/wallet.ts";
import { hitsMax } from "./hit.ts";
import { screen } from "./screening.ts";

const listed = (uid: string): ListEntry => ({
  ...{ uid, source: "", type: "individual", births: [], countries: [], documents: [] },
  ...{ names: [{ name: "Tamerlan Zhdanovski", kind: "primary" }], wallets: [], programs: [] },
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
const party = (name: string): Party => ({
  ...{ type: "individual", name, date: "", countries: [], documents: [] },
});
const namesakes = Array.from({ length: hitsMax + 5 }, (_each, at) => listed(`e${at}`));
const namesake = [party("Tamerlan Zhdanovski")];

describe("hits without a list entry that a person must decide", () => {
  it("is a name that nothing can be compared with", () => {
    const parties = [...namesake, party("☂☂")];
    const { verdict, hits } = screen({ parties, wallets: [] }, inForce([]));
    expect(verdict).toBe("review");
    expect(hits).toMatchObject([
      { list: "", entryUid: "unreadable-name", matchedName: "", subjectIndex: 1, score: 0 },
    ]);
    const text = "party 2 of 2: the name has no letters that screening can compare";
    expect(hits[0]?.reasons).toEqual([{ kind: "name", text, effect: 0 }]);
  });

  it("are hits beyond those that are listed, where all were requested", () => {
    const parties = namesake;
    const some = screen({ parties, wallets: [] }, inForce(namesakes));
    expect(some.hits.map(({ list }) => list)).toEqual(Array(hitsMax).fill("l"));
    const { hits } = screen({ parties, wallets: [], most: hitsMax }, inForce(namesakes));
    expect(hits).toHaveLength(hitsMax + 1);
    const [last] = hits.slice(-1);
    expect(last).toMatchObject({ list: "", entryUid: "further-hits", verdict: "block" });
    expect(last?.reasons[0]?.text).toContain("5 further similar entries");
    const all = screen({ parties, wallets: [], most: hitsMax + 5 }, inForce(namesakes));
    expect(all.hits.every(({ list }) => list === "l")).toBe(true);
  });

  it("is something else when other entries are beyond", () => {
    const beyond = (count: number) =>
      screen(
        { parties: namesake, wallets: [], most: 3 },
        inForce(namesakes.slice(0, count)),
      ).hits.at(-1)?.entryFingerprint;
    expect(beyond(6)).toMatch(/^[0-9a-f]{64}$/);
    expect(beyond(6)).toBe(beyond(6));
    expect(beyond(7)).not.toBe(beyond(6));
  });
});
