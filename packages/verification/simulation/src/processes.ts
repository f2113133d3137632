import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { subscription } from "@disburse/notifier/events/intake.ts";
import { createNotifier, startWorker } from "@disburse/notifier/wiring.ts";
import { createRailDirectory } from "@disburse/payout/rails/directory.ts";
import { openRailStates } from "@disburse/payout/rails/states.ts";
import { startPayoutService } from "@disburse/payout/wiring.ts";
import { openQuoteService } from "@disburse/quote/wiring.ts";
import { processLog } from "./checks/process-log.ts";
import type { WriteObserver } from "./checks/write-observer.ts";
import type { StubOptions } from "./network/beneficiary-stub.ts";
import type { Broker } from "./network/broker.ts";
import { databaseLink, type LinkDefects } from "./network/database-link.ts";
import type { MerchantEndpoints } from "./network/merchant-endpoints.ts";
import type { RpcNetwork } from "./network/rpc-network.ts";
import { type KeyOf, railName, type SimulatedRail } from "./rail/rail.ts";
import type { ProcessInstance } from "./scheduler/host.ts";
import type { Guarantees, MemoryDatabase } from "./store/memory-database.ts";

/** Defects that a test injects to verify that the checks find them. */
export type InjectedDefects = StubOptions &
  LinkDefects & {
    readonly guarantees?: Guarantees;
    readonly keyOf?: KeyOf;
    readonly served?: ChangeServed;
  };

export type Served = Readonly<Record<string, (request: never) => unknown>>;

export type ChangeServed = (rpc: Served) => Served;

export type SharedParts = {
  readonly network: RpcNetwork;
  readonly broker: Broker;
  readonly rail: SimulatedRail;
  readonly merchants: MerchantEndpoints;
  readonly observer: WriteObserver;
  readonly databases: Readonly<Record<"payout" | "quote" | "notifier", MemoryDatabase>>;
  readonly defects: InjectedDefects;
};

/** As in a sandbox, a payout without an outcome becomes an exception after one minute. */
const stuckAfterMs = 60_000;
const railWorkers = 2;
/**
 * Validity of quotes in corridors without their own value. All corridors of the workload have one.
 */
const quoteTtlSeconds = 60;

/** Starts a payout process like the service's main.ts, on simulated connections. */
export async function bootPayout(shared: SharedParts, instance: ProcessInstance): Promise<void> {
  const { network, broker, rail, databases, defects } = shared;
  const log = processLog(instance, shared.observer);
  const database = databaseLink(instance, databases.payout, defects);
  const proposals = openApprovals({ db: database.db, clock: systemClock, log, openMax: 1_000 });
  const states = openRailStates(database, systemClock);
  const rails = [rail.connect(instance, defects.keyOf)];
  const service = await startPayoutService({
    database,
    proposals,
    bus: broker.connect(instance),
    quote: network.client(QuoteService, instance),
    beneficiary: network.client(BeneficiaryService, instance),
    rails: createRailDirectory(rails, [{ rail: railName }], states.isPaused),
    states,
    mode: "sandbox",
    place: instance.name,
    clock: systemClock,
    stuckAfterMs,
    railWorkers,
    log,
  });
  const { rpc, orders, operations } = service;
  proposals.start();
  network.serve(ApprovalService, proposals.rpc, { instance, log, database });
  network.serve(PayoutService, changed(defects, rpc), { instance, log, database });
  network.serve(PayoutOrderService, orders, { instance, log, database });
  network.serve(PayoutOperatorService, changed(defects, operations), { instance, log, database });
}

export async function bootQuote(shared: SharedParts, instance: ProcessInstance): Promise<void> {
  const { network, databases, defects } = shared;
  const log = processLog(instance, shared.observer);
  const database = databaseLink(instance, databases.quote, defects);
  const { rpc } = openQuoteService({
    database,
    beneficiary: network.client(BeneficiaryService, instance),
    payout: network.client(PayoutService, instance),
    clock: systemClock,
    quoteTtlSeconds,
  });
  network.serve(QuoteService, changed(defects, rpc), { instance, log, database });
}

function changed<Rpc extends object>({ served }: InjectedDefects, rpc: Rpc): Rpc {
  return served === undefined ? rpc : (served(rpc as unknown as Served) as unknown as Rpc);
}

/** Starts a notifier process: its consumer, worker and RPCs. */
export async function bootNotifier(shared: SharedParts, instance: ProcessInstance): Promise<void> {
  const { network, broker, merchants, databases, defects } = shared;
  const log = processLog(instance, shared.observer);
  const database = databaseLink(instance, databases.notifier, defects);
  const notifier = createNotifier({
    database,
    post: merchants.connect(instance),
    sealer: openSealer,
    keyContent: (content) => content,
    signatureHeader: "X-SERVICE-Signature",
    policy: "sandbox",
    place: instance.name,
    clock: systemClock,
    metrics: noMetrics,
    log,
  });
  startWorker(notifier, systemClock, log);
  await broker.connect(instance).subscribe(subscription(notifier, systemClock.now, log));
  network.serve(NotifierService, notifier.rpc, { instance, log, database });
}

/** Encrypts nothing. Secrets are not tested, and random nonces would not depend on the seed. */
const openSealer: Sealer = {
  seal: (text) => `open:${text}`,
  open: (sealed) => sealed.slice("open:".length),
  isCurrent: () => true,
};

const silentMetric = { inc: () => undefined, set: () => undefined, observe: () => undefined };
/** A real registry would start timers that the seed doesn't control. */
const noMetrics = {
  counter: () => silentMetric,
  gauge: () => silentMetric,
  histogram: () => silentMetric,
} as unknown as Metrics;
