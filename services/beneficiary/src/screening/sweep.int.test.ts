import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { creatorOn } from "../test-bodies.ts";
import { startTestService, sweepEveryMs, type TestService, unavailable } from "../test-service.ts";
import { backlogGauges, sweepOnce } from "./sweep.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it("reports the number of pending screenings and the longest wait", async () => {
  const { compliance, clock, deps } = service;
  const create = creatorOn(service);
  await create.permit("mer_acme", true);
  const metrics = createMetrics("beneficiary");
  const read = backlogGauges({ ...deps, metrics });
  const shown = async () => {
    await read();
    const lines = (await metrics.text()).match(/^disburse_screenings_pending.*$/gm) ?? [];
    return lines.map((line) => line.replace(/.*record="(\w+)".* (.*)$/, "$1 $2"));
  };
  await create.fiat();
  expect(await shown()).toEqual(["beneficiary 0", "depositor 0", "beneficiary 0", "depositor 0"]);
  compliance.down = unavailable;
  await create.fiat();
  clock.moveMs(60_000);
  await create.fiat();
  await create.depositor(1, { depositor_wallet_address: "" });
  expect(await shown()).toEqual(["beneficiary 2", "depositor 1", "beneficiary 60", "depositor 0"]);
  compliance.reset();
  clock.moveMs(3_600_000);
  await sweepOnce({ ...deps, sweepEveryMs });
  expect(await shown()).toEqual(["beneficiary 0", "depositor 0", "beneficiary 0", "depositor 0"]);
});
