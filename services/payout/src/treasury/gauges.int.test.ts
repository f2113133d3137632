import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { railAccountGauges, statementGauges } from "./gauges.ts";

let platform: TestPlatform;
let statement: string | undefined;
beforeAll(async () => {
  platform = await startTestPlatform();
  platform.rails.current = testRail({
    ...{ name: "bank", isFunded: true },
    capabilities: { currencies: ["USD"], transferMethods: ["ACH"], networks: [], limits: {} },
    statement: async () =>
      statement === undefined ? undefined : { opening: "0", closing: statement },
  });
});
afterAll(() => platform.stop());

const metrics = createMetrics("payout");
const lines = async (name: string) =>
  (await metrics.text())
    .split("\n")
    .filter((line) => line.startsWith(name))
    .map((line) => line.replace(/,service="payout"|service="payout",/, ""));

it("shows the available, held and waiting amounts of rail accounts", async () => {
  const mutation = { operationId: "op", actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
  const wire = { rail: "bank", currencyCode: "USD", amount: "15.00", note: "wire" };
  await platform.operatorRpc.fundRailAccount({ mutation, ...wire });
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  for (const each of ["one", "two"]) await platform.execute(accountId, each);
  await platform.work();
  await railAccountGauges(platform.ledger, platform.payouts, metrics)();
  const of = '{rail="bank",currency="USD"}';
  expect(await lines("disburse_rail_account")).toEqual([
    `disburse_rail_account_available${of} 5`,
    `disburse_rail_account_held${of} 10`,
    `disburse_rail_account_waiting${of} 10`,
  ]);
  expect(await lines("disburse_payouts_awaiting_funds")).toEqual([
    `disburse_payouts_awaiting_funds${of} 1`,
  ]);
});

it("compares the statement of the previous day, if there is one", async () => {
  const { ledger, parts: worker } = platform;
  const { rails } = worker;
  // Yesterday, by a clock that is a day ahead.
  const clock = { now: () => new Date(Date.now() + 86_400_000) };
  const read = statementGauges({ ledger, rails, metrics, clock, log: silentLog });
  const shown = () => lines("disburse_rail_statement_unexplained");
  await read();
  expect(await shown()).toEqual([]);
  const of = '{rail="bank",currency="USD"}';
  for (const [closing, unexplained] of [
    ["15.00", "0"],
    ["5.00", "0"],
    ["4.50", "-0.5"],
    ["16", "1"],
  ] as const) {
    statement = closing;
    await read();
    expect(await shown()).toEqual([`disburse_rail_statement_unexplained${of} ${unexplained}`]);
  }
  statement = undefined;
  await read();
  expect(await shown()).toEqual([]);
});
