import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryLists, person } from "../test-lists.ts";
import { changedEntriesOf } from "./changed-entries.ts";

const ref = (list: string, name: string) => ({ list, importId: `${list}-${name}` });
const uids = (entries: readonly { uid: string }[]): string[] =>
  entries.map(({ uid }) => uid).sort();

describe("changedEntriesOf", () => {
  it("returns what was added, changed and removed between any two versions", async () => {
    const state = fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,3}$/), fc.constantFrom("A", "B"));
    await fc.assert(
      fc.asyncProperty(state, state, async (before, after) => {
        const store = memoryLists();
        const entriesOf = (names: Record<string, string>) =>
          Object.entries(names).map(([uid, name]) => person(uid, name));
        store.put("l", "1", entriesOf(before));
        store.put("l", "2", entriesOf(after));
        const found = await changedEntriesOf(store)([ref("l", "1")], [ref("l", "2")]);
        const [difference] = found;
        const [old, fresh] = [Object.keys(before), Object.keys(after)];
        const changed = fresh.filter((uid) => uid in before && before[uid] !== after[uid]);
        expect(uids(difference?.added ?? [])).toEqual(
          fresh.filter((uid) => !(uid in before)).sort(),
        );
        expect(uids(difference?.removed ?? [])).toEqual(
          old.filter((uid) => !(uid in after)).sort(),
        );
        expect(uids(difference?.changed ?? [])).toEqual([...changed, ...changed].sort());
        const isSame = JSON.stringify(found) === "[]";
        expect(isSame).toBe(JSON.stringify(entriesOf(before)) === JSON.stringify(entriesOf(after)));
      }),
      { numRuns: 30, examples: [[{}, {}]] },
    );
  });

  it("returns both forms of changed entries, and names the changed lists", async () => {
    const store = memoryLists();
    store.put("same", "1", [person("1")]);
    store.put("l", "1", [person("1", "Old Name"), person("2")]);
    store.put("l", "2", [person("1", "New Name"), person("2")]);
    store.put("new", "1", [person("3")]);
    const from = [ref("same", "1"), ref("l", "1")];
    const to = [ref("same", "1"), ref("l", "2"), ref("new", "1")];
    expect(await changedEntriesOf(store)(from, to)).toEqual([
      {
        list: "l",
        added: [],
        changed: [person("1", "Old Name"), person("1", "New Name")],
        removed: [],
      },
      { list: "new", added: [person("3")], changed: [], removed: [] },
    ]);
  });

  it("reads no more than the chunks in which the versions differ", async () => {
    const store = memoryLists();
    const many = Array.from({ length: 2_000 }, (_, at) => person(String(at)));
    store.put("l", "1", many);
    store.put("l", "2", [...many.slice(1), person("new")]);
    const [difference] = await changedEntriesOf(store)([ref("l", "1")], [ref("l", "2")]);
    expect([uids(difference?.added ?? []), uids(difference?.removed ?? [])]).toEqual([
      ["new"],
      ["0"],
    ]);
    expect(store.read).toBeLessThanOrEqual(4);
  });
});
