import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { subscription } from "@disburse/notifier/events/intake.ts";
import { createNotifier, startWorker } from "@disburse/notifier/service.ts";
import { startPayoutService } from "@disburse/payout/service.ts";
import { openCorridors } from "@disburse/quote/corridors/store.ts";
import { openQuotes } from "@disburse/quote/quotes/store.ts";
import { quoteRpc } from "@disburse/quote/rpc.ts";
import type { Broker } from "./broker.ts";
import { databaseLink, type Sabotage } from "./database-link.ts";
import type { Life } from "./life.ts";
import type { Merchants } from "./merchants.ts";
import type { Pretence } from "./neighbours.ts";
import { processLog } from "./process-log.ts";
import { railName } from "./rail-message.ts";
import type { RpcNetwork } from "./rpc-network.ts";
import type { KeyOf, SimulatedRail } from "./simulated-rail.ts";
import type { MemoryDatabase } from "./store/memory-database.ts";
import type { Watch } from "./watch.ts";

/** What a test breaks, to see that it is found. */
export type Breakage = Pretence & {
  readonly sabotage?: Sabotage;
  readonly keyOf?: KeyOf;
};

/** What outlives every process. */
export type Surroundings = {
  readonly network: RpcNetwork;
  readonly broker: Broker;
  readonly rail: SimulatedRail;
  readonly merchants: Merchants;
  readonly watch: Watch;
  readonly databases: Readonly<Record<"payout" | "quote" | "notifier", MemoryDatabase>>;
  readonly breakage: Breakage;
};

/** As in a sandbox: operators hear of what has no outcome after a minute. */
const stuckAfterMs = 60_000;
/** Payouts that one process works on side by side. */
const railWorkers = 2;
/** Of corridors that do not say; all of the workload's do. */
const quoteTtlSeconds = 60;

/** Starts a payout process: the service as its main.ts has it, on simulated connections. */
export async function bootPayout(around: Surroundings, life: Life): Promise<void> {
  const { network, broker, rail, databases, breakage } = around;
  const log = processLog(life, around.watch);
  const service = await startPayoutService({
    database: databaseLink(life, databases.payout, breakage.sabotage),
    bus: broker.connect(life),
    quote: network.client(QuoteService, life),
    beneficiary: network.client(BeneficiaryService, life),
    rails: [rail.connect(life, breakage.keyOf)],
    routes: [{ rail: railName }],
    mode: "sandbox",
    place: life.name,
    clock: systemClock,
    ...{ stuckAfterMs, railWorkers, log },
  });
  network.serve(PayoutService, service.rpc, { life, log });
  network.serve(PayoutOperationsService, service.operations, { life, log });
}

/** Starts a quote process. */
export async function bootQuote(around: Surroundings, life: Life): Promise<void> {
  const { network, databases, breakage } = around;
  const log = processLog(life, around.watch);
  const database = databaseLink(life, databases.quote, breakage.sabotage);
  const rpc = quoteRpc({
    quotes: await openQuotes(database),
    corridors: await openCorridors(database),
    beneficiary: network.client(BeneficiaryService, life),
    payout: network.client(PayoutService, life),
    clock: systemClock,
    quoteTtlSeconds,
  });
  network.serve(QuoteService, rpc, { life, log });
}

/** Starts a notifier process: its consumer, its worker and its RPCs. */
export async function bootNotifier(around: Surroundings, life: Life): Promise<void> {
  const { network, broker, merchants, databases, breakage } = around;
  const log = processLog(life, around.watch);
  const notifier = await createNotifier({
    database: databaseLink(life, databases.notifier, breakage.sabotage),
    post: merchants.connect(life),
    sealer: openSealer,
    signatureHeader: "X-SERVICE-Signature",
    policy: "sandbox",
    place: life.name,
    clock: systemClock,
    metrics: noMetrics,
    log,
  });
  startWorker(notifier, systemClock, log);
  const { fanOut, eventMetrics } = notifier;
  await broker.connect(life).subscribe(subscription(fanOut, systemClock.now, log, eventMetrics));
  network.serve(NotifierService, notifier.rpc, { life, log });
}

/** Secrets are not what is tried here, and their chance is not the seed's. */
const openSealer: Sealer = {
  seal: (text) => `open:${text}`,
  open: (sealed) => sealed.slice("open:".length),
  isCurrent: () => true,
};

const silentMetric = { inc: () => undefined, set: () => undefined, observe: () => undefined };
/** A registry of the platform's own would start timers that no seed decides on. */
const noMetrics = {
  counter: () => silentMetric,
  gauge: () => silentMetric,
  histogram: () => silentMetric,
} as unknown as Metrics;
