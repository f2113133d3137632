import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  importLines,
  mutation,
  personLine,
  type Rpc,
  refusalOf,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import type { SubjectDocument } from "./document.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

const screened = async (rpc: Rpc, merchantId: string, recordId: string, name: string) => {
  const subject = { merchantId, recordId };
  const parties = [{ type: Party_Type.INDIVIDUAL, name }];
  return rpc.screenParty({ mutation: mutation(), subject, parties });
};

it("a person compares one record, or all of a merchant, again", async () => {
  const rpc = await test.start();
  await importLines(rpc, personLine("1", "Ulvanka Drostig"));
  await screened(rpc, "mer_1", "ben_1", "Ulvanka Drostig");
  await screened(rpc, "mer_1", "ben_2", "Orlan Vessik");
  await screened(rpc, "mer_11", "ben_3", "Orlan Vessik");
  const subjects = test.database.db.collection<SubjectDocument>("subjects");
  const before = await subjects.find().sort({ _id: 1 }).toArray();
  const again = (merchantId: string, recordId = "") =>
    rpc.rescreenSubjects({ mutation: mutation(), merchantId, recordId });
  const { screening } = await again("mer_1", "ben_1");
  expect(screening).toMatchObject({ verdict: Verdict.BLOCK, subject: { recordId: "ben_1" } });
  const one = await subjects.findOne({ record_id: "ben_1" });
  expect(one?.compared_at.getTime()).toBeGreaterThan(before[0]?.compared_at.getTime() ?? 0);
  for (const _ of [1, 2]) expect((await again("mer_1")).subjects).toBe(2n);
  const due = await subjects
    .find({ compared_at: new Date(0) })
    .sort({ _id: 1 })
    .toArray();
  expect(due.map(({ record_id }) => record_id)).toEqual(["ben_1", "ben_2"]);
  expect(await refusalOf(again("mer_1", "ben_3"))).toMatchObject({ code: "RECORD_NOT_FOUND" });
  expect(await refusalOf(again("mer_2"))).toMatchObject({ code: "RECORD_NOT_FOUND" });
  expect(await refusalOf(again(""))).toMatchObject({ code: "INVALID_REQUEST" });
});
