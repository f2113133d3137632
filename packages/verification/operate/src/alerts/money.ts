import { connect } from "amqplib";
import { type Breakage, keepDoing } from "./breakage.ts";
import type { World } from "./world.ts";

/** Removes the binding of the notifier's queue, so that the broker returns published events. */
async function unbind({ backends, busNamespace }: World) {
  const connection = await connect(backends.amqpUrl);
  const channel = await connection.createChannel();
  const queue = `${busNamespace}.notifier.inbox`;
  const place = [queue, `${busNamespace}.payout.events`, "payout.*"] as const;
  await channel.unbindQueue(...place);
  return async () => {
    await channel.bindQueue(...place);
    await connection.close();
  };
}

/** Resolves payouts directly in the database, in place of operators. */
function resolveAll({ db }: World) {
  return () =>
    db("payout")
      .collection("payouts")
      .updateMany(
        { status: "initiated" },
        { $unset: { exception: "", work_due_at: "", lease: "" } },
      );
}

async function pauseRail({ platform: { clients } }: World, paused: boolean) {
  const mutation = { operationId: crypto.randomUUID() };
  const change = { mutation, rail: "sandbox", paused, reason: "operate" };
  await clients.operations.setRailPaused(change);
}

/** Creates a hold that no sweep finds, because another owner has the sweeps' lease. */
async function orphanHold({ db, merchant: { accountId } }: World) {
  const accounts = db("payout").collection<{ _id: string; open_holds: object[] }>("accounts");
  const leases = db("payout").collection<{ _id: string }>("leases");
  const until = new Date(Date.now() + 3_600_000);
  await leases.updateOne({ _id: "sweeps" }, { $set: { owner: "operate", until } });
  const hold = { payout_id: "po_orphaned", since: new Date(0) };
  const change = { $push: { open_holds: hold }, $set: { dirty: true } };
  await accounts.updateOne({ _id: accountId }, change);
  return async () => {
    await accounts.updateOne(
      { _id: accountId },
      { $pull: { open_holds: { payout_id: hold.payout_id } } },
    );
    await leases.updateOne({ _id: "sweeps" }, { $set: { until: new Date(0) } });
  };
}

/** Creates an order or batch that no process works on. */
async function leave({ db }: World, collection: string) {
  const left = db("payout").collection<{ _id: string }>(collection);
  const long = new Date(Date.now() - 3_600_000);
  const leased = { state: "waiting", due_at: new Date(Date.now() + 3_600_000) };
  await left.insertOne({ _id: "left", ...leased, scheduled_at: long, moved_at: long } as never);
  return () => left.deleteOne({ _id: "left" });
}

async function boundRates({ db }: World, seconds: number) {
  const corridors = db("quote").collection("corridors");
  await corridors.updateMany(
    { source: { $exists: true } },
    { $set: { rate_max_age_seconds: seconds } },
  );
}

export const moneyBreakages: readonly Breakage[] = [
  {
    alert: "DisburseOutboxStuck",
    // The relay fails at each attempt, and the notifier's sweep finds the missing events.
    companions: ["DisburseLoopFailing", "DisburseWebhookEventsLost"],
    break: async (world) => {
      const mend = await unbind(world);
      await world.pay("order");
      return mend;
    },
  },
  {
    alert: "DisbursePayoutExceptions",
    break: async (world) => {
      await world.pay("sandbox-contradict");
      return () =>
        world
          .db("payout")
          .collection("payouts")
          .updateMany({ "exception.kind": "contradicted" }, { $unset: { exception: "" } });
    },
  },
  {
    alert: "DisbursePayoutsStuck",
    companions: ["DisburseRailPaused"],
    break: async (world) => {
      await pauseRail(world, true);
      await world.pay("order");
      return () => pauseRail(world, false);
    },
  },
  {
    alert: "DisburseRailPaused",
    break: async (world) => {
      await pauseRail(world, true);
      return () => pauseRail(world, false);
    },
  },
  {
    alert: "DisburseRailSilent",
    companions: ["DisbursePayoutExceptions"],
    break: async (world) => {
      const end = keepDoing(() => world.pay("sandbox-silent"), 300);
      return async () => {
        await end();
        await resolveAll(world)();
      };
    },
  },
  { alert: "DisburseHoldsOrphaned", break: orphanHold },
  { alert: "DisburseOrdersOverdue", break: (world) => leave(world, "scheduled_payouts") },
  { alert: "DisburseBatchStalled", break: (world) => leave(world, "batches") },
  {
    alert: "DisburseRateStale",
    break: async (world) => {
      await boundRates(world, 1);
      return () => boundRates(world, 0);
    },
  },
];
