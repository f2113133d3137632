import { describe, expect, it } from "vitest";
import type { ListEntry } from "./entry.ts";
import {
  detailLoss,
  detailLossProblem,
  lossProblem,
  rewriteProblem,
  rewrittenEntries,
} from "./loss.ts";

describe("lossProblem", () => {
  it.each([
    [0, 0, false],
    [1, 0, false],
    [1, 1, false],
    [2, 2, true],
    [49, 1, false],
    [49, 2, true],
    [99, 1, false],
    [99, 2, true],
    [100, 2, false],
    [100, 3, true],
    [14_973, 299, false],
    [14_973, 300, true],
    [14_973, 14_973, true],
  ])("of %i entries in force, %i may be missing or not", (inForce, removed, isRefused) => {
    const problem = lossProblem({ added: 0, changed: 0, removed }, inForce, "");
    expect(problem !== undefined).toBe(isRefused);
  });

  it("does not count new entries: they do not replace lost ones", () => {
    expect(lossProblem({ added: 500, changed: 0, removed: 500 }, 500, "")).toBe(
      "500 of the 500 entries in force are missing from the new files, more than 2%: send accept_drop_reason if this is correct",
    );
  });

  it("takes any loss that a person gave a reason for", () => {
    const loss = { added: 0, changed: 0, removed: 500 };
    expect(lossProblem(loss, 500, "the publisher split the list")).toBeUndefined();
  });
});

describe("detailLossProblem", () => {
  const person = (uid: string, aliases: number, wallets: number): ListEntry => ({
    ...{ uid, source: "", type: "individual", births: [], countries: [], programs: [] },
    names: Array.from({ length: 1 + aliases }, (_, at) => ({
      name: `Name ${uid} ${at}`,
      kind: at === 0 ? "primary" : "alias",
    })),
    documents: [],
    wallets: Array.from({ length: wallets }, (_, at) => ({ currency: "", address: `${at}` })),
  });
  const people = (count: number, aliases: number, wallets = 0): ListEntry[] =>
    Array.from({ length: count }, (_, at) => person(`${at}`, aliases, wallets));
  const changes = (before: readonly ListEntry[], after: readonly ListEntry[]) =>
    before.flatMap((each, at) => {
      const other = after[at];
      return other === undefined ? [] : [{ before: each, after: other }];
    });
  const problemOf = (before: readonly ListEntry[], after: readonly ListEntry[], reason = "") => {
    const changed = changes(before, after);
    const [added, removed] = [after.slice(before.length), before.slice(after.length)];
    return detailLossProblem(detailLoss(after, { added, changed, removed }), reason);
  };

  it("refuses a list whose entries all lost their aliases", () => {
    expect(problemOf(people(20, 3), people(20, 0))).toBe(
      "60 of the 80 names in force are missing from the new files, more than 2%: send accept_drop_reason if this is correct",
    );
  });

  it("refuses a list whose entries lost their wallets, whatever else they gained", () => {
    expect(problemOf(people(20, 0, 2), people(30, 5))).toContain("40 of the 40 wallets in force");
  });

  it("accepts small corrections, and details of removed entries", () => {
    expect(problemOf(people(5, 2), people(5, 0))).toBeUndefined();
    expect(problemOf([...people(49, 1), person("49", 50, 90)], people(49, 1))).toBeUndefined();
  });

  it("takes any loss that a person gave a reason for", () => {
    expect(problemOf(people(20, 3), people(20, 0), "aliases are withdrawn")).toBeUndefined();
  });
});

describe("entries that are found by something else than before", () => {
  const entry = (change: Partial<ListEntry> = {}): ListEntry => ({
    ...{ uid: "1", source: "", type: "individual", births: [], countries: [], programs: [] },
    names: [
      { name: "Tamerlan Zhdanovski", kind: "primary" },
      { name: "Ondrecka", kind: "alias" },
    ],
    documents: [{ type: "passport", number: "X1", country: "FR" }],
    wallets: [{ currency: "ETH", address: "0x1" }],
    ...change,
  });
  const [primary, alias] = entry().names;
  const more = { name: "Another", kind: "alias" } as const;

  it.each<[string, Partial<ListEntry>, number]>([
    ["nothing", {}, 0],
    ["the order of names", { names: [alias, primary].flatMap((each) => each ?? []) }, 0],
    ["a further name", { names: [...entry().names, more] }, 0],
    ["another birth date", { births: ["1970"] }, 0],
    ["another type of document", { documents: [{ type: "id", number: "X1", country: "FR" }] }, 0],
    ["an alias replaced", { names: [primary, more].flatMap((each) => each ?? []) }, 1],
    [
      "a document of another country",
      { documents: [{ type: "", number: "X1", country: "DE" }] },
      1,
    ],
    ["another document", { documents: [{ type: "passport", number: "X2", country: "FR" }] }, 1],
    ["another wallet", { wallets: [{ currency: "ETH", address: "0x2" }] }, 1],
  ])("%s", (_what, change, count) => {
    expect(rewrittenEntries([{ before: entry(), after: entry(change) }])).toBe(count);
  });

  it.each([
    [1, 10, false],
    [2, 10, true],
    [2, 100, false],
    [3, 100, true],
  ])("%i of %i may change or not", (rewritten, inForce, isRefused) => {
    expect(rewriteProblem(rewritten, inForce, "") !== undefined).toBe(isRefused);
    expect(rewriteProblem(rewritten, inForce, "renamed by its publisher")).toBeUndefined();
  });
});
