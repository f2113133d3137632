import { createClient, createRouterTransport } from "@connectrpc/connect";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { expect, it, vi } from "vitest";
import { findPayout } from "./payouts/store.ts";
import { createRailDirectory } from "./rails/directory.ts";
import { openRailStates } from "./rails/states.ts";
import { startTestPlatform, testRail } from "./test-platform.ts";
import { resolvers } from "./test-resolutions.ts";
import { startPayoutService } from "./wiring.ts";

it("continues after a crash of its predecessor: a paused rail and a resolved payout", async () => {
  const platform = await startTestPlatform();
  const { database, payouts, parts } = platform;
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
  await parts.audit.append({ ...pause, person: "ada", operation: "op-3", at });

  const states = openRailStates(database, parts.clock);
  const rails = createRailDirectory([silent], [{ rail: silent.name }], states.isPaused);
  const service = await startPayoutService({ ...parts, states, rails, manual: undefined });
  try {
    const transport = createRouterTransport(({ service: serve }) =>
      serve(PayoutOperatorService, service.operations),
    );
    const listed = await createClient(PayoutOperatorService, transport).listRails({});
    expect(listed.rails).toMatchObject([{ name: silent.name, paused: true, reason: "holiday" }]);
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

it("runs each sweep despite the lease of another", async () => {
  const platform = await startTestPlatform();
  try {
    const leases = platform.database.db.collection<{ _id: string; owner: string; until: Date }>(
      "leases",
    );
    const sweeps = ["account-sweep", "velocity-sweep"];
    for (const name of sweeps) await platform.loops.run(name);
    expect(await leases.distinct("_id")).toEqual(expect.arrayContaining(sweeps));
    // Another process sweeps velocity limits. This one still sweeps accounts.
    const other = { owner: "another process", until: new Date(Date.now() + 3_600_000) };
    await leases.updateOne({ _id: "velocity-sweep" }, { $set: other });
    const accountId = await platform.fundedAccount("mer_1", "1.00");
    await platform.tidy();
    const account = await platform.ledger.accounts.findOne({ _id: accountId });
    expect(account).not.toHaveProperty("dirty");
  } finally {
    await platform.stop();
  }
});
