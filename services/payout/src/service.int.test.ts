import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it, vi } from "vitest";
import { findPayout } from "./payouts/store.ts";
import { proposeResolution } from "./resolutions/resolve.ts";
import { confirm } from "./resolutions/rules/resolution.ts";
import { startPayoutService } from "./service.ts";
import { startTestPlatform, testRail } from "./test-platform.ts";

it("goes on where its predecessor died: a confirmed resolution, a pause of a rail", async () => {
  const platform = await startTestPlatform();
  const { database, payouts, resolving, worker } = platform;
  const at = new Date();
  const unknown = async () => ({ status: { kind: "unknown" } }) as const;
  const silent = testRail({ submit: unknown, query: unknown });
  platform.rails.current = silent;
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const payoutId = await platform.execute(accountId, "order");
  await platform.work();
  const asked = { payoutId, outcome: { kind: "rejected" }, reason: "the bank's word" } as const;
  const by = { person: "ada", operation: "op-1" };
  const proposed = await proposeResolution(resolving, asked, by);
  if (isRefused(proposed)) throw new Error(proposed.detail);
  const confirmed = confirm(proposed, { person: "bob", operation: "op-2", at });
  if (confirmed === "repeated" || isRefused(confirmed)) throw new Error("not confirmed");
  await resolving.resolutions.change(proposed, confirmed);
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
        const { state } = (await resolving.resolutions.read(proposed.id)) ?? {};
        expect(state?.kind).toBe("applied");
      },
      { timeout: 10_000, interval: 50 },
    );
  } finally {
    await service.stop();
    await platform.stop();
  }
});
