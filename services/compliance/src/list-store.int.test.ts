import { connectDatabase, type Database } from "@disburse/chassis/mongo.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseListLine } from "./formats/list-line.ts";
import type { ImportDocument } from "./list-documents.ts";
import { importList } from "./list-import.ts";
import { type ListStore, openListStore } from "./list-store.ts";
import { watchLists } from "./lists-in-force.ts";

const now = new Date("2026-11-20T10:00:00Z");
const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
const whole = { entries: 1, checksum: "00" };

function entry(uid: string) {
  const line = { uid, type: "individual", names: [{ name: `Person ${uid}` }] };
  const read = parseListLine(JSON.stringify(line));
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

let database: Database;
let store: ListStore;

beforeAll(async () => {
  const name = freshDatabase("lists");
  database = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await database.db.dropDatabase();
  store = await openListStore(database);
});

async function begin(operationId: string, at = now): Promise<ImportDocument> {
  const actor = { kind: "operator", id: "op" } as const;
  const answer = await store.begin({ list: "l", version: operationId, operationId, actor }, at);
  if (isRefused(answer) || "repeated" in answer) throw new Error("not begun");
  return answer.begun;
}

async function imported(operationId: string): Promise<ImportDocument> {
  const begun = await begin(operationId);
  await store.write(begun, [entry(operationId)], now);
  await store.commit(begun, whole, now);
  return begun;
}
const inForce = async (): Promise<string[]> =>
  (await store.listVersions()).map(({ version }) => version);
const entryUids = async (): Promise<unknown[]> => database.db.collection("entries").distinct("uid");

describe("what a crash leaves", () => {
  it("while entries are written: is swept once silent, and cannot come into force any more", async () => {
    await imported("a");
    const dead = await begin("b");
    await store.write(dead, [entry("b")], now);
    await store.sweep(later(1));
    expect(await entryUids()).toEqual(["a", "b"]);
    await store.sweep(later(3));
    await store.sweep(later(6));
    expect(await entryUids()).toEqual(["a"]);
    expect(await store.write(dead, [entry("c")], later(6))).toEqual({
      refused: "IMPORT_OVERTAKEN",
    });
    expect(await store.commit(dead, whole, later(6))).toEqual({ refused: "IMPORT_OVERTAKEN" });
    expect(await inForce()).toEqual(["a"]);
    await begin("b", later(6));
  });

  it("between commit and switch: is finished by the sweep, or by the repeat", async () => {
    for (const [at, finish] of [
      () => store.sweep(later(3)),
      async () => {
        const actor = { kind: "operator", id: "op" } as const;
        const again = { list: "l", version: "1", operationId: "1", actor };
        expect(await store.begin(again, now)).toMatchObject({ repeated: { version: "1" } });
      },
    ].entries()) {
      const begun = await begin(String(at));
      await store.write(begun, [entry(String(at))], now);
      const committing = { state: "committing", ...whole, imported_at: now } as const;
      await database.db
        .collection<ImportDocument>("imports")
        .updateOne({ _id: begun._id }, { $set: committing });
      await finish();
      expect(await inForce()).toEqual([String(at)]);
    }
  });

  it("of a stream that breaks: the old version, and no entries", async () => {
    await imported("a");
    async function* broken() {
      yield Buffer.from(
        `${JSON.stringify({ uid: "1", type: "entity", names: [{ name: "x" }] })}\n`,
      );
      throw new Error("the caller went away");
    }
    const actor = { kind: "operator", id: "op" } as const;
    const request = { list: "l", version: "2", operationId: "2", actor };
    const deps = { lists: store, clock: { now: () => now } };
    await expect(importList(deps, request, broken())).rejects.toThrow("went away");
    expect([await inForce(), await entryUids()]).toEqual([["a"], ["a"]]);
  });
});

describe("a commit whose outcome is unknown", () => {
  it("is never undone by giving the import up", async () => {
    const begun = await imported("a");
    await store.abandon(begun, now);
    expect([await inForce(), await entryUids()]).toEqual([["a"], ["a"]]);
  });
});

describe("two imports of one list", () => {
  it("that began together: the second to end is refused", async () => {
    const [first, second] = [await begin("a"), await begin("b")];
    expect(await store.commit(first, whole, now)).toMatchObject({ version: "a" });
    expect(await store.commit(second, whole, now)).toEqual({ refused: "IMPORT_OVERTAKEN" });
    expect(await inForce()).toEqual(["a"]);
  });

  it("of one operation: the second hears that it runs", async () => {
    await begin("a");
    const actor = { kind: "operator", id: "op" } as const;
    const again = { list: "l", version: "a", operationId: "a", actor };
    expect(await store.begin(again, later(1))).toEqual({ refused: "IMPORT_RUNNING" });
  });

  it("one after the other: the replaced entries stay for those who read them, then go", async () => {
    await imported("a");
    await imported("b");
    await store.sweep(later(1));
    await store.sweep(later(10));
    expect(await entryUids()).toEqual(["a", "b"]);
    await store.sweep(later(12));
    expect(await entryUids()).toEqual(["b"]);
    expect(await inForce()).toEqual(["b"]);
  });
});

describe("watchLists", () => {
  it("keeps the old state when a version cannot be read whole", async () => {
    await imported("a");
    const watch = watchLists(store);
    expect(watch.current()).toBeUndefined();
    await watch.refresh();
    await imported("b");
    await database.db.collection("entries").deleteMany({ uid: "b" });
    await expect(watch.refresh()).rejects.toThrow("0 of 1 entries");
    expect(watch.current()?.lists.map(({ version }) => version)).toEqual(["a"]);
  });
});
