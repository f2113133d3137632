import { create, type Message } from "@bufbuild/protobuf";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { RemoveRetainedEntriesRequestSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../../migrations.ts";
import { personLine } from "../../test-compliance.ts";
import { chunkLines, lineEntry } from "../chunks.ts";
import { receivedFiles } from "../imports/files.ts";
import { announceImport, type ImportDeps, importList } from "../imports/import.ts";
import { sweepImports } from "../imports/steps.ts";
import type { ListEntry } from "../rules/entry.ts";
import { formKey } from "../rules/retained.ts";
import { type ListStore, openListStore } from "../store.ts";
import { removalGuard } from "./guard.ts";
import {
  type Eased,
  type ListForms,
  openRemovals,
  type RemovalDeps,
  type Removals,
  retainedEntries,
} from "./removals.ts";
import { removeForms } from "./steps.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("removals", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const hourMs = 3_600_000;
const ada: StoredActor = { kind: "operator", id: "ada" };

let now: Date;
let lists: ListStore;
let deps: RemovalDeps;
let importing: ImportDeps;
let removals: Removals;
/** Uids of entries that stop a party. */
let stopping: Set<string>;
let proposed: { operationId: string; list: string; importId: string; by: string; kind: string }[];
let rejected: Set<string>;
/** Called by each comparison with stopped parties. */
let comparing: () => Promise<void>;

beforeEach(async () => {
  await database.db.dropDatabase();
  now = new Date("2026-11-20T10:00:00Z");
  lists = openListStore(database);
  stopping = new Set();
  proposed = [];
  rejected = new Set();
  comparing = async () => undefined;
  const clock = { now: () => now };
  // Advances the clock, so that no two imports come into force at the same time.
  const refresh = async () => pass(1 / hourMs);
  deps = { lists, clock, log: silentLog, refresh, easedBy, own: () => ownProposals };
  removals = openRemovals(deps);
  importing = {
    ...{ lists, clock, log: silentLog, refresh, removals },
    ended: () => undefined,
    permit: async () => async () => undefined,
  };
});

async function easedBy(
  list: string,
  forms: readonly ListEntry[],
  others: readonly ListForms[] = [],
): Promise<Eased> {
  await comparing();
  const besides = new Set<string>();
  for (const { version, chunks } of await lists.listsInForce()) {
    if (version.list === list) continue;
    const waiting = new Set(others.find((each) => each.list === version.list)?.forms.map(formKey));
    const inForce = (await lists.readChunks(chunks)).flatMap(chunkLines).map(lineEntry);
    for (const form of inForce) if (!waiting.has(formKey(form))) besides.add(form.uid);
  }
  // Parties that another list stops too are not eased.
  const counting = forms.filter(({ uid }) => stopping.has(uid) && !besides.has(uid));
  const subjects = counting.map(({ uid }) => ({
    ...{ merchantId: "mer_1", recordId: `ben_${uid}`, from: "block", to: "clear" },
  }));
  return { subjects, forms: new Set(counting.map(formKey)), isCut: false };
}

const stateOf = (operationId: string) => (rejected.has(operationId) ? "rejected" : "open");
const ownProposals = {
  beginningWith: async (operationIds: string) =>
    proposed
      .filter(({ operationId }) => operationId.startsWith(operationIds))
      .map(({ operationId }) => ({ state: stateOf(operationId) })),
  current: async () => {
    const inForce = (await lists.listsInForce()).map(({ version }) => version.importId);
    return proposed.filter(({ importId }) => inForce.includes(importId));
  },
  propose: async (
    request: Message,
    operationId: string,
    { kind, by }: { kind: string; by: string },
  ) => {
    const { list, importId } = request as Message & { list: string; importId: string };
    proposed.push({ operationId, list, importId, by, kind });
  },
} as unknown as ReturnType<RemovalDeps["own"]>;

const people = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) =>
    personLine(`p${from + at}`, `Person ${from + at}`),
  ).join("");

let imports = 0;
async function put(lines: string, { isPublished = true, actor = ada, list = "l" } = {}) {
  imports += 1;
  const request = { list, version: `v${imports}`, format: "json_lines", actor, isPublished };
  const more = { acceptDropReason: "a test's list", operationId: `import-${imports}` };
  const received = receivedFiles([{ name: "", bytes: new TextEncoder().encode(lines) }]);
  const imported = await importList(importing, { ...request, ...more }, received);
  if (isRefused(imported)) throw new Error(imported.detail ?? imported.refused);
  await announceImport(importing, imported);
}
async function inForce(list = "l") {
  const stored = await lists.listInForce(list);
  if (stored === undefined) throw new Error("no list is in force");
  const forms = await retainedEntries(lists, stored);
  return { ...stored, uids: forms.map(({ uid }) => uid).sort() };
}
const pass = (hours: number) => {
  now = new Date(now.getTime() + hours * hourMs);
};

describe("a publisher's removal", () => {
  it("needs no person if it stops no one, within the daily share", async () => {
    await put(people(0, 100));
    pass(1);
    await put(people(2, 100));
    expect((await inForce()).uids).toEqual([]);
    expect(proposed).toEqual([]);
    pass(1);
    await put(people(3, 100));
    expect((await inForce()).uids).toEqual(["p2"]);
    expect(proposed).toMatchObject([{ list: "l", kind: "service", by: "compliance" }]);
    // A day later, the first removals no longer count.
    pass(23.5);
    await removals.follow("l");
    expect((await inForce()).uids).toEqual([]);
  });

  it("waits where it stops someone, and only that", async () => {
    await put(people(0, 100));
    stopping.add("p1");
    pass(1);
    await put(people(2, 100));
    expect((await inForce()).uids).toEqual(["p1"]);
    expect(proposed).toMatchObject([{ importId: (await inForce()).version.importId }]);
    // Once the party is cleared, nothing awaits a person any more.
    stopping.clear();
    await removals.follow("l");
    expect((await inForce()).uids).toEqual([]);
  });

  it("waits where two lists at once no longer have an entry that stops someone", async () => {
    const both = ["l", "m"];
    for (const list of both) await put(people(0, 100), { list });
    stopping.add("p1");
    pass(1);
    let arrived = 0;
    const { promise: bothRetain, resolve } = Promise.withResolvers<void>();
    comparing = () => {
      arrived += 1;
      if (arrived === both.length) resolve();
      return bothRetain;
    };
    await Promise.all(both.map((list) => put(people(2, 100), { list })));
    expect((await Promise.all(both.map(inForce))).map(({ uids }) => uids)).toContainEqual(["p1"]);
  });

  it("is in force again where the publisher lists it again", async () => {
    await put(people(0, 100));
    stopping.add("p0");
    await put(people(1, 100));
    expect((await inForce()).uids).toEqual(["p0"]);
    await put(people(0, 100));
    expect((await inForce()).retained).toEqual({ chunks: [], forms: 0, since: null, by: null });
  });

  it("waits whole where more went than may within a day, and adds at once all the same", async () => {
    await put(people(0, 100));
    pass(48);
    await put(people(50, 101));
    const { uids, version } = await inForce();
    expect([uids.length, version.entries]).toEqual([50, 51]);
    // A longer wait does not reduce the count.
    pass(48);
    await removals.follow("l");
    expect((await inForce()).uids).toHaveLength(50);
  });
});

describe("the removal of a person's import", () => {
  const mine = { isPublished: false };

  it("waits, also where it stops no one, and is proposed by that person", async () => {
    await put(people(0, 100), mine);
    await put(people(1, 100), mine);
    expect((await inForce()).uids).toEqual(["p0"]);
    expect(proposed).toMatchObject([{ kind: "operator", by: "ada" }]);
    await removals.follow("l");
    expect(proposed).toHaveLength(1);
  });

  it("adds up over forty imports, which put off no alarm", async () => {
    await put(people(0, 100), mine);
    const since = now;
    for (let taken = 1; taken <= 40; taken += 1) {
      await put(people(taken, 100), mine);
      pass(1);
    }
    expect((await inForce()).uids).toHaveLength(40);
    expect(await removals.waiting()).toEqual(new Map([["l", since]]));
  });

  it("leaves the entries in force if rejected, and is proposed again by the next import", async () => {
    await put(people(0, 100), mine);
    await put(people(1, 100), mine);
    rejected.add(proposed[0]?.operationId ?? "");
    await removals.sweep(async () => true);
    expect((await inForce()).uids).toEqual(["p0"]);
    expect(await removals.waiting()).toEqual(new Map());
    expect(proposed).toHaveLength(1);
    pass(30);
    const since = now;
    await put(people(1, 101), mine);
    expect((await inForce()).uids).toEqual(["p0"]);
    expect(await removals.waiting()).toEqual(new Map([["l", since]]));
    expect(proposed).toHaveLength(2);
  });
});

describe("a confirmed removal", () => {
  const confirm = async (importId: string, operationId = "confirm-1") => {
    const of = { list: "l", importId, operationId, actor: ada };
    return removeForms(deps, { ...of, kept: [], note: "confirmed" });
  };

  it("leaves the published list, once, with its own import", async () => {
    await put(people(0, 100), { isPublished: false });
    await put(people(1, 100), { isPublished: false });
    const before = await inForce();
    const { importId } = before.version;
    const [first, again] = [await confirm(importId), await confirm(importId)];
    expect(again).toEqual(first);
    const after = await inForce();
    expect(after.uids).toEqual([]);
    expect(after.published).toEqual(before.published);
    expect(after.version).toMatchObject({ version: before.version.version, entries: 99 });
    expect(await confirm(importId, "confirm-2")).toEqual({ refused: "RECORD_NOT_FOUND" });
    expect(await confirm(after.version.importId, "confirm-3")).toEqual({
      refused: "RECORD_NOT_FOUND",
    });
  });

  it("is left to no one person while an import is on its way into force", async () => {
    const request = create(RemoveRetainedEntriesRequestSchema, { list: "l", importId: "running" });
    const guard = removalGuard(deps);
    const difference = await guard.difference(request);
    const requester = { person: "ada", roles: new Set<never>(), operationId: "op" };
    await expect(guard.reasons(request, requester, difference)).rejects.toThrow("RECORD_NOT_FOUND");
  });

  it("is refused for an import that another one has replaced", async () => {
    await put(people(0, 100), { isPublished: false });
    await put(people(1, 100), { isPublished: false });
    const { importId } = (await inForce()).version;
    await put(people(2, 100), { isPublished: false });
    expect(await confirm(importId)).toEqual({ refused: "RECORD_NOT_FOUND" });
    expect((await inForce()).uids).toEqual(["p0", "p1"]);
  });

  it("keeps the chunks that a version retains from the sweep of a failed import", async () => {
    await put(people(0, 100), { isPublished: false });
    await put(people(1, 100), { isPublished: false });
    const { retained } = await inForce();
    const failed = { retained, state: "failed", swept: false, live: false, touched_at: now };
    const template = await lists.collections.imports.findOne();
    if (template === null) throw new Error("no import");
    const failedImport = { ...template, ...failed, _id: "failed", operation_id: "failed" };
    await lists.collections.imports.insertOne(failedImport as typeof template);
    pass(3);
    await sweepImports(lists.collections, now);
    expect((await inForce()).uids).toEqual(["p0"]);
  });
});
