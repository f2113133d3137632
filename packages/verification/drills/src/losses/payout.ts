import { ordersToRepeat } from "@disburse/invariants/orders-to-repeat.ts";
import { byOperator, type Drill, requestOf } from "../drill.ts";
import type { DrillPlatform } from "../platform.ts";

/** The credit's reference on the bank's statement, which makes it idempotent. */
const statementLine = "bank-statement-17";

/** Loses accounts, ledger and payouts. The external rail keeps its records. */
export const payoutLoss: Drill = {
  service: "payout",
  kept: ["sandbox_transfers"],
  after: async (platform) => credit(platform),
  beforeStart: async (platform) => {
    await pauseRail(platform);
    // Simulates an order that never reached the rail. The recovery must pay this order exactly
    // once.
    await transfersOf(platform).findOneAndDelete(
      { scenario: "settle" },
      { sort: { settles_at: -1 } },
    );
  },
  recover: async (platform) => {
    await credit(platform);
    const lines = ["credited again what the bank's statement has"];
    for await (const order of ordersToRepeat(platform.databases)) {
      const { payoutId } = await platform.asGateway.payout.executePayout(requestOf(order));
      const isKnown = await isAtRail(platform, payoutId);
      lines.push(`${payoutId}: ${isKnown ? "the rail has it" : "the rail never had it"}`);
    }
    const mutation = byOperator(`resume-${crypto.randomUUID()}`);
    const resumed = { rail: "sandbox", paused: false, reason: "reconciled" };
    await platform.clients.operations.setRailPaused({ mutation, ...resumed });
    return [...lines, "the rail is resumed: it returns its transfer for the payout's id"];
  },
  stays: () => false,
};

/**
 * Runs before the payout service starts. Payouts that are queued in the copy may have been paid
 * after the copy.
 */
async function pauseRail({ client, database }: DrillPlatform): Promise<void> {
  await client
    .db(database("payout"))
    .collection<{ _id: string }>("rail_states")
    .updateOne(
      { _id: "sandbox" },
      {
        $set: { paused: true, reason: "restored", updated_at: new Date() },
        $setOnInsert: { schema_version: 1, audit_sequence: 0 },
      },
      { upsert: true },
    );
}

async function credit({ clients, merchantId, accountId }: DrillPlatform): Promise<void> {
  const mutation = byOperator(statementLine);
  const booking = { mutation, merchantId, accountId, amount: "25.00", note: statementLine };
  await clients.payout.creditAccount(booking);
}

async function isAtRail(platform: DrillPlatform, payoutId: string): Promise<boolean> {
  return (await transfersOf(platform).countDocuments({ _id: payoutId })) === 1;
}

function transfersOf({ client, database }: DrillPlatform) {
  return client.db(database("payout")).collection<{ _id: string }>("sandbox_transfers");
}
