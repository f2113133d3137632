import { createLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { watchLists } from "../index/watch.ts";
import { migrations } from "../migrations.ts";
import { packEntries } from "./chunks.ts";
import { type ImportDocument, type ImportRequest, noneRetained } from "./documents.ts";
import {
  abandonImport,
  beginImport,
  commitImport,
  stageImport,
  sweepImports,
  writeChunks,
} from "./imports/steps.ts";
import type { ListEntry } from "./rules/entry.ts";
import { type ListStore, openListStore } from "./store.ts";

const now = new Date("2026-11-20T10:00:00Z");
const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);

function entry(uid: string): ListEntry {
  const none = { births: [], countries: [], documents: [], wallets: [], programs: [] };
  const names = [{ name: `Person ${uid}`, kind: "primary" }] as const;
  return { uid, source: "", type: "individual", names, ...none };
}
const packed = (uid: string) => packEntries("l", [entry(uid)]);
const read = (uid: string) => ({
  entries: 1,
  checksum: "00",
  change: { added: 1, changed: 0, removed: 0 },
  chunks: packed(uid).map(({ id }) => id),
  retained: noneRetained,
  notes: [],
});
const request = (operationId: string): ImportRequest => ({
  ...{ list: "l", version: operationId, operationId, acceptDropReason: "" },
  ...{ format: "json_lines", isPublished: false },
  actor: { kind: "operator", id: "op" },
});

let database: Database;
let store: ListStore;

beforeAll(async () => {
  database = await migratedDatabase("lists", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await database.db.dropDatabase();
  store = openListStore(database);
});

async function begin(operationId: string, at = now): Promise<ImportDocument> {
  const answer = await beginImport(store.collections, request(operationId), at);
  if (isRefused(answer) || "repeated" in answer) throw new Error("not begun");
  return answer.begun;
}

async function written(operationId: string, at = now): Promise<ImportDocument> {
  const begun = await begin(operationId, at);
  await stageImport(store.collections, begun, read(operationId), at);
  await writeChunks(store.collections, packed(operationId), at);
  return begun;
}

async function imported(operationId: string): Promise<ImportDocument> {
  const begun = await written(operationId);
  await commitImport(store.collections, begun, now);
  return begun;
}
const inForce = async (): Promise<string[]> =>
  (await store.listsInForce()).map(({ version }) => version.version);
const chunkIds = async () =>
  (await database.db.collection<{ _id: string }>("list_chunks").find().toArray()).map(
    ({ _id }) => _id,
  );
const idsOf = (...uids: string[]) => uids.flatMap((uid) => read(uid).chunks);

describe("the remains of a crash", () => {
  it("before the switch: is failed once silent, and cannot come into force any more", async () => {
    await imported("a");
    const dead = await written("b");
    await sweepImports(store.collections, later(1));
    expect(await beginImport(store.collections, request("b"), later(1))).toEqual({
      refused: "IMPORT_RUNNING",
    });
    await sweepImports(store.collections, later(3));
    expect(await stageImport(store.collections, dead, read("c"), later(3))).toEqual({
      refused: "IMPORT_OVERTAKEN",
    });
    expect(await commitImport(store.collections, dead, later(3))).toEqual({
      refused: "IMPORT_OVERTAKEN",
    });
    expect(await inForce()).toEqual(["a"]);
    await begin("b", later(3));
  });

  it("of chunks: are removed after an hour, except those of another import", async () => {
    await imported("a");
    const dead = await begin("b");
    const both = { ...read("b"), chunks: idsOf("a", "b", "c") };
    await stageImport(store.collections, dead, both, now);
    for (const uid of ["a", "b", "c"]) await writeChunks(store.collections, packed(uid), now);
    await sweepImports(store.collections, later(3));
    await sweepImports(store.collections, later(62));
    expect((await chunkIds()).sort()).toEqual(idsOf("a", "b", "c").sort());
    // An import records that it needs a chunk before it checks that the chunk exists.
    const taker = await begin("c", later(63));
    await stageImport(store.collections, taker, read("c"), later(63));
    await sweepImports(store.collections, later(64));
    expect((await chunkIds()).sort()).toEqual(idsOf("a", "c").sort());
  });

  it("of chunks that were touched just now: they stay", async () => {
    const dead = await written("b");
    await abandonImport(store.collections, dead, now);
    await writeChunks(store.collections, packed("b"), later(61));
    await sweepImports(store.collections, later(62));
    expect(await chunkIds()).toEqual(idsOf("b"));
  });

  it("between commit and switch: is finished by the sweep, or by the repeat", async () => {
    for (const [at, finish] of [
      () => sweepImports(store.collections, later(3)),
      async () => {
        expect(await beginImport(store.collections, request("1"), now)).toMatchObject({
          repeated: { version: "1" },
        });
      },
    ].entries()) {
      const begun = await written(String(at));
      await database.db
        .collection<ImportDocument>("list_imports")
        .updateOne({ _id: begun._id }, { $set: { state: "committing", imported_at: now } });
      await finish();
      expect(await inForce()).toEqual([String(at)]);
    }
  });
});

describe("a commit whose outcome is unknown", () => {
  it("is never undone by giving the import up", async () => {
    const begun = await imported("a");
    await abandonImport(store.collections, begun, now);
    await sweepImports(store.collections, later(70));
    expect([await inForce(), await chunkIds()]).toEqual([["a"], idsOf("a")]);
  });
});

describe("two imports of one list", () => {
  it("that began together: the second to end is refused", async () => {
    const [first, second] = [await written("a"), await written("b")];
    expect(await commitImport(store.collections, first, now)).toMatchObject({ version: "a" });
    expect(await commitImport(store.collections, second, now)).toEqual({
      refused: "IMPORT_OVERTAKEN",
    });
    expect(await inForce()).toEqual(["a"]);
  });

  it("of one operation: the second is refused as running", async () => {
    await begin("a");
    expect(await beginImport(store.collections, request("a"), later(1))).toEqual({
      refused: "IMPORT_RUNNING",
    });
  });

  it("one after the other: the replaced version is kept, and its entries can be read", async () => {
    const first = await imported("a");
    await imported("b");
    await sweepImports(store.collections, later(1));
    await sweepImports(store.collections, later(100_000));
    expect(await inForce()).toEqual(["b"]);
    const chunks = await store.readChunks(await store.importChunks(first._id));
    expect(chunks.map(({ id }) => id)).toEqual(idsOf("a"));
    const states = (await store.listImports("l", undefined, 10)).map(({ state }) => state);
    expect(states.sort()).toEqual(["in_force", "superseded"]);
  });
});

describe("watchLists", () => {
  const log = createLog("test", "silent");

  it("keeps the old state when a version cannot be read whole", async () => {
    await imported("a");
    const watch = watchLists({ store, log });
    expect(watch.current()).toBeUndefined();
    await watch.refresh();
    await imported("b");
    const named = async () => watch.current()?.lists.map(({ version }) => version);
    await database.db.collection<{ _id: string }>("list_chunks").deleteMany({
      _id: { $in: idsOf("b") },
    });
    await expect(watch.refresh()).rejects.toThrow("0 of 1 chunks");
    expect(await named()).toEqual(["a"]);
    // Nor if the bytes differ from the chunk's name.
    await writeChunks(
      store.collections,
      packed("c").map(({ bytes }) => ({ id: idsOf("b")[0] ?? "", bytes })),
      now,
    );
    await expect(watch.refresh()).rejects.toThrow("does not match its hash");
    expect(await named()).toEqual(["a"]);
    await watch.stop();
  });
});
