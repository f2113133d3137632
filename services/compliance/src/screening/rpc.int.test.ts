import { createClient, createRouterTransport } from "@connectrpc/connect";
import {
  ComplianceService,
  Party_Type,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mutation } from "../test-compliance.ts";
import { indexOf, personEntry, type TestSubjects, testSubjects } from "../test-subjects.ts";
import { screeningRpc } from "./rpc.ts";
import type { Screening } from "./rules/screening.ts";

let test: TestSubjects;
const counted: Screening[] = [];

beforeAll(async () => {
  test = await testSubjects(indexOf("1", [personEntry("e1", "Harlan Mosswick")]));
});
afterAll(() => test.end());

function rpc() {
  const screenSubject = () => Promise.reject(new Error("none is monitored here"));
  const screened = (screening: Screening) => void counted.push(screening);
  const handlers = screeningRpc({ ...test.deps, provider: undefined, screened, screenSubject });
  const transport = createRouterTransport(
    ({ service }) => service(ComplianceService, handlers),
    namedCallers,
  );
  return createClient(ComplianceService, transport);
}

it("counts one screening of an operation, however often it is repeated at once", async () => {
  const request = {
    ...{ mutation: mutation("op-1"), subject: { merchantId: "mer_1", recordId: "" } },
    parties: [{ type: Party_Type.INDIVIDUAL, name: "Harlan Mosswick" }],
  };
  const calls = Array.from({ length: 8 }, () => rpc().screenParty(request));
  const ids = (await Promise.all(calls)).map(({ screening }) => screening?.id);
  const [id] = ids;
  expect(ids).toEqual(ids.map(() => id));
  expect(counted.map((each) => [each.id, each.kind, each.verdict])).toEqual([
    [id, "party", "block"],
  ]);
  expect((await rpc().screenParty(request)).screening).toMatchObject({ verdict: Verdict.BLOCK });
  expect(counted).toHaveLength(1);
});
