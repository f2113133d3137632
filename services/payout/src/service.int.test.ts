import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { expect, it, vi } from "vitest";
import { findPayout } from "./payouts/store.ts";
import { startPayoutService } from "./service.ts";
import { startTestPlatform, testRail } from "./test-platform.ts";
import { resolvers } from "./test-resolutions.ts";

it("goes on where its predecessor died: a pause of a rail, and a payout that was resolved", async () => {
  const platform = await startTestPlatform();
  const { database, payouts, resolving, worker } = platform;
  const at = new Date();
  const unknown = async () => ({ status: { kind: "unknown" } }) as const;
  const silent = testRail({ submit: unknown, query: unknown });
  platform.rails.current = silent;
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const payoutId = await platform.execute(accountId, "order");
  await platform.work();
  await resolvers(platform).resolve(payoutId);
  expect((await findPayout(payouts, payoutId))?.progress.stage).toBe("concluding");
  const pause = { action: "rail.paused", subject: silent.name, detail: "holiday" } as const;
  await resolving.audit.append({ ...pause, person: "ada", operation: "op-3", at });

  const service = await startPayoutService({
    ...{ database, bus: createMemoryBus(), quote: worker.quote, beneficiary: worker.beneficiary },
    ...{ rails: [silent], routes: [{ rail: silent.name }], stuckAfterMs: 86_400_000 },
    ...{
      railWorkers: 1,
      mode: "sandbox",
      place: "first:8080",
      clock: worker.clock,
      log: silentLog,
      proposals: resolving.proposals,
    },
  });
  try {
    const transport = createRouterTransport(({ service: serve }) =>
      serve(PayoutOperationsService, service.operations),
    );
    const { rails } = await createClient(PayoutOperationsService, transport).listRails({});
    expect(rails).toMatchObject([{ name: silent.name, paused: true, reason: "holiday" }]);
    await vi.waitFor(
      async () => {
        expect((await findPayout(payouts, payoutId))?.progress.stage).toBe("rejected");
      },
      { timeout: 10_000, interval: 50 },
    );
  } finally {
    await service.stop();
    await platform.stop();
  }
});
