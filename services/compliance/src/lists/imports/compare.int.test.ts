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
