import { connectAmqpBus } from "@disburse/chassis/amqp-bus.ts";
import type { Bus } from "@disburse/chassis/bus.ts";
import { createLog, type Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo.ts";
import { startRelay } from "@disburse/chassis/outbox-relay.ts";
import { connectService } from "@disburse/chassis/rpc-client.ts";
import { startRpcServer } from "@disburse/chassis/rpc-server.ts";
import {
  createLifetime,
  type Lifetime,
  runService,
  type StartService,
} from "@disburse/chassis/service.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { openAccountStore } from "./account-store.ts";
import { readConfig } from "./config.ts";
import type { ExecuteDeps } from "./execute.ts";
import { createHoldCloser, type HoldCloser } from "./hold-closer.ts";
import { sweepHolds } from "./hold-sweep.ts";
import { openPayoutStore } from "./payout-store.ts";
import { workOnDuePayout } from "./rail-worker.ts";
import { createSandboxRail } from "./rails/sandbox-rail.ts";
import { payoutRpc } from "./rpc.ts";
import { createTally } from "./tally.ts";

type Config = ReturnType<typeof readConfig>;

/** How late background work may find what nobody woke it for. */
const pollMs = 100;
const sweepMs = 1_000;
/** An account carries its movements no longer than this before they are in the ledger. */
const recordMs = 250;
/** The first rail worker polls; each that finds work wakes the next, which otherwise rests. */
const restMs = 60_000;

/** Starts the payout service: its RPCs, the relay of its events, its rail workers and sweeps. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  if (config.DISBURSE_MODE === "live") {
    throw new SettingsError("DISBURSE_MODE: live needs a rail, and none is configured yet");
  }
  const log = createLog("payout", config.LOG_LEVEL, shared?.logTo);
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const bus = shared?.bus ?? (await openBus(config, log, lifetime));
    const identity = { caller: "payout", serviceToken: config.SERVICE_TOKEN };
    const quote = connectService(QuoteService, config.QUOTE_URL, identity);
    lifetime.add("quote client", quote.close);
    const beneficiary = connectService(BeneficiaryService, config.BENEFICIARY_URL, identity);
    lifetime.add("beneficiary client", beneficiary.close);
    const accounts = await openAccountStore(database);
    const payouts = await openPayoutStore(database);
    const closer = createHoldCloser(accounts);
    const deps = {
      accounts,
      payouts,
      quote: quote.rpc,
      beneficiary: beneficiary.rpc,
      closeHold: closer.close,
    };
    const background = startBackground({ config, log, lifetime, database, bus, closer, deps });
    const rpc = payoutRpc({
      ...deps,
      tally: background.tally,
      clock: systemClock,
      mode: config.DISBURSE_MODE,
      wake: background.wake,
    });
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics: createMetrics("payout"),
      services: [PayoutService],
      routes: (router) => router.service(PayoutService, rpc),
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

async function openBus(config: Config, log: Log, lifetime: Lifetime): Promise<Bus> {
  if (config.AMQP_URL === undefined) throw new SettingsError("AMQP_URL: is required");
  const bus = await connectAmqpBus({ url: config.AMQP_URL, namespace: config.BUS_NAMESPACE, log });
  lifetime.add("bus", bus.stop);
  return bus;
}

/** Starts what runs beside the RPCs; `wake` tells it that a payout was made or changed. */
function startBackground(parts: {
  config: Config;
  log: Log;
  lifetime: Lifetime;
  database: Database;
  bus: Bus;
  closer: HoldCloser;
  deps: Omit<ExecuteDeps, "wake">;
}) {
  const { config, log, lifetime, database, bus, closer, deps } = parts;
  const clock = systemClock;
  const tally = createTally(database, deps.payouts);
  const relay = startRelay({ outbox: deps.payouts.outbox, bus, log });
  const rail = createSandboxRail({ database, clock, settleMs: config.SANDBOX_SETTLE_MS });
  const work = { ...deps, routeRail: () => rail, clock, log, onChanged: relay.wake };
  const workers = Array.from({ length: config.RAIL_WORKERS }, (_each, at) => {
    const run = async () => {
      const worked = await workOnDuePayout(work);
      if (worked) workers[at + 1]?.wake();
      return worked;
    };
    return startLoop({ name: "rail-worker", everyMs: at === 0 ? pollMs : restMs, run, log });
  });
  const wake = () => {
    relay.wake();
    workers[0]?.wake();
  };
  const sweepDeps = { ...deps, clock, log, wake };
  const loops = [
    relay,
    ...workers,
    startLoop({ name: "tally", everyMs: pollMs, run: tally.run, log }),
    startLoop({ name: "hold-sweep", everyMs: sweepMs, run: () => sweepHolds(sweepDeps), log }),
    startLoop({ name: "hold-closer", everyMs: pollMs, run: closer.flush, log }),
    startLoop({
      name: "ledger-recorder",
      everyMs: recordMs,
      run: () => deps.accounts.recordRecent().then(() => false),
      log,
    }),
  ];
  lifetime.add("background", async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
  });
  return { tally, wake };
}

if (import.meta.main) await runService("payout", start);
