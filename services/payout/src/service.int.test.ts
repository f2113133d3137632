import { createClient, createRouterTransport } from "@connectrpc/connect";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it, vi } from "vitest";
import { findPayout } from "./payouts/store.ts";
import { createRailDirectory } from "./rails/directory.ts";
import { openRailStates } from "./rails/states.ts";
import { proposeResolution } from "./resolutions/resolve.ts";
import { confirm } from "./resolutions/rules/resolution.ts";
import { startPayoutService } from "./service.ts";
import { startTestPlatform, testRail } from "./test-platform.ts";

it("goes on where its predecessor died: a confirmed resolution, a pause of a rail", async () => {
  const platform = await startTestPlatform();
  const { database, payouts, parts } = platform;
  const at = new Date();
  const unknown = async () => ({ status: { kind: "unknown" } }) as const;
  const silent = testRail({ submit: unknown, query: unknown });
  platform.rails.current = silent;
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const payoutId = await platform.execute(accountId, "order");
  await platform.work();
  const asked = { payoutId, outcome: { kind: "rejected" }, reason: "the bank's word" } as const;
  const by = { person: "ada", operation: "op-1" };
  const proposed = await proposeResolution(parts, asked, by);
  if (isRefused(proposed)) throw new Error(proposed.detail);
  const confirmed = confirm(proposed, { person: "bob", operation: "op-2", at });
  if (confirmed === "repeated" || isRefused(confirmed)) throw new Error("not confirmed");
  await parts.resolutions.change(proposed, confirmed);
  const pause = { action: "rail.paused", subject: silent.name, detail: "holiday" } as const;
  await parts.audit.append({ ...pause, person: "ada", operation: "op-3", at });

  const states = openRailStates(database, parts.clock);
  const rails = createRailDirectory([silent], [{ rail: silent.name }], states.isPaused);
  const service = await startPayoutService({ ...parts, states, rails, manual: undefined });
  try {
    const transport = createRouterTransport(({ service: serve }) =>
      serve(PayoutOperationsService, service.operations),
    );
    const listed = await createClient(PayoutOperationsService, transport).listRails({});
    expect(listed.rails).toMatchObject([{ name: silent.name, paused: true, reason: "holiday" }]);
    await vi.waitFor(
      async () => {
        expect((await findPayout(payouts, payoutId))?.progress.stage).toBe("rejected");
        const { state } = (await parts.resolutions.read(proposed.id)) ?? {};
        expect(state?.kind).toBe("applied");
      },
      { timeout: 10_000, interval: 50 },
    );
  } finally {
    await service.stop();
    await platform.stop();
  }
});
