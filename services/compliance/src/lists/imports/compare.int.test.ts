import { EntryDifference_Kind } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  importFiles,
  importLines,
  personLine,
  refusalOf,
  type TestCompliance,
  testCompliance,
} from "../../test-compliance.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

const listOf = (from: number, to: number, nameOf = (uid: number) => `Person Number ${uid}`) =>
  Array.from({ length: to - from }, (_, at) => personLine(`${from + at}`, nameOf(from + at))).join(
    "",
  );

it("a comparison returns what an import would change, and changes nothing", async () => {
  const rpc = await test.start();
  const compare = (lines: string, operationId?: string) =>
    importFiles(rpc, { version: "2", compareOnly: true }, { "": lines }, operationId);
  const first = await compare(listOf(0, 3));
  expect(first).toMatchObject({ change: { added: 3, changed: 0, removed: 0 }, problem: "" });
  expect((await rpc.listLists({})).lists).toEqual([]);
  await importLines(rpc, listOf(0, 100));
  const before = await Promise.all([rpc.listLists({}), rpc.listImports({})]);
  const { ADDED, CHANGED, REMOVED } = EntryDifference_Kind;
  const changed = await compare(
    listOf(1, 101, (uid) => `Person Number ${uid === 5 ? "Fifty" : uid}`),
    "operation-1",
  );
  expect(changed).toMatchObject({
    change: { added: 1, changed: 1, removed: 1 },
    ...{ retained: 2, problem: "" },
    differences: [
      { kind: REMOVED, uid: "0", before: { names: [{ name: "Person Number 0" }] } },
      { kind: CHANGED, uid: "5", changedFields: ["names"] },
      { kind: ADDED, uid: "100" },
    ],
  });
  expect(changed.version).toBeUndefined();
  const lossy = await compare(listOf(0, 50));
  expect(lossy.change).toMatchObject({ removed: 50 });
  expect(lossy.problem).toMatch(/^50 of the 100 entries in force are missing/);
  expect((await compare(listOf(200, 400))).differences).toHaveLength(100);
  expect(await refusalOf(compare("{"))).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await Promise.all([rpc.listLists({}), rpc.listImports({})])).toEqual(before);
  // The operation that compared may import.
  await importLines(rpc, listOf(0, 101), "2", "operation-1");
});

it("the audit trail tells a comparison from the import with the same operation", async () => {
  const rpc = await test.start();
  await importFiles(rpc, { compareOnly: true }, { "": listOf(0, 3) }, "operation-2");
  await importLines(rpc, listOf(0, 3), "1", "operation-2");
  const entries = test.database.db.collection("audit_entries").find({ action: "ImportList" });
  const [compared, imported] = await entries.sort({ _id: 1 }).toArray();
  expect(compared?.detail).toBe('{"compareOnly":true}');
  expect(compared?.subject).toBe("sandbox");
  expect(imported).toMatchObject({ operation: "operation-2", detail: "" });
});

it("a second comparison at the same time is refused", async () => {
  const rpc = await test.start();
  const compare = () => importFiles(rpc, { compareOnly: true }, { "": listOf(0, 3) });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  async function* slow() {
    const mutation = { operationId: "slow" };
    const value = { mutation, list: "sandbox", version: "1", compareOnly: true };
    yield { part: { case: "header" as const, value } };
    yield { part: { case: "lines" as const, value: Buffer.from(listOf(0, 3)) } };
    begun.resolve();
    await held.promise;
    yield { part: { case: "end" as const, value: true } };
  }
  const first = rpc.importList(slow());
  await begun.promise;
  await expect
    .poll(() => refusalOf(compare()))
    .toMatchObject({
      message: "another comparison is running; repeat this one later",
    });
  held.resolve();
  expect((await first).change).toMatchObject({ added: 3 });
  expect((await compare()).change).toMatchObject({ added: 3 });
});
