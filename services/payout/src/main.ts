import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import { openDailySums } from "@disburse/chassis/approvals/daily-sums.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service/service.ts";
import { createTurns } from "@disburse/chassis/turns.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startPayoutGauges } from "./gauges.ts";
import { ledgerHeads } from "./ledger/recorder.ts";
import { createPayoutMetrics } from "./metrics.ts";
import { migrations } from "./migrations.ts";
import { openPayouts } from "./payouts/store.ts";
import { sealedContents } from "./rails/bank/contents.ts";
import { sealedFindings } from "./rails/bank/findings.ts";
import { bankMetrics, type MeasuredRail, startBankMetrics } from "./rails/bank/metrics.ts";
import { type BankRail, openBankRail } from "./rails/bank/open.ts";
import { sealedPayments } from "./rails/bank/payments.ts";
import type { ReceivedMessage } from "./rails/callbacks.ts";
import { openTransferStore } from "./rails/chain/documents.ts";
import { countOrphans } from "./rails/chain/store.ts";
import { createRailDirectory } from "./rails/directory.ts";
import { evmMetrics } from "./rails/evm/metrics.ts";
import { type RunningRail, startEvmRail } from "./rails/evm/open.ts";
import type { SignedMessage } from "./rails/sandbox/callbacks.ts";
import { createSandboxRail } from "./rails/sandbox/rail.ts";
import { openSandboxSettings } from "./rails/sandbox/settings.ts";
import { openRailStates, type RailStates } from "./rails/states.ts";
import { startPayoutService } from "./service.ts";
import { statementsRpc } from "./statements/rpc.ts";
import { startStatementGauges } from "./treasury/gauges.ts";

/** How late a message of the sandbox's rail may go out: within 10 s of a transfer, and later. */
const callbacksMs = 100;
const callbacksRestMs = 1_000;

/** Receives a callback by the service, once that is started. */
type Receive = (message: ReceivedMessage, by: Change) => Promise<unknown>;
type PayoutOpening = Opening<ReturnType<typeof readConfig>>;

/** Starts the payout service: its RPCs, the relay of its events, its rail workers and sweeps. */
export const start = serviceStart("payout", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime, connect, serve } = opening;
  const bus = await opening.openBus(config);
  const sandbox = await openSandbox(opening, (...of): Promise<unknown> => payout.receive(...of));
  const states = openRailStates(database, clock);
  const banks = await openBanks(opening, states);
  const chains = await startChains(opening, states);
  const live = [...chains.map(({ rail }) => rail), ...banks.rails.map(({ rail }) => rail)];
  const approvals = openApprovals({
    db: database.db,
    clock,
    log,
    openMax: config.OPEN_PROPOSALS_PER_MERCHANT,
    // A request may have a file of a bank.
    sealer: banks.sealer,
  });
  const own = { guard: approvals.guard, sums: openDailySums(database) };
  const limits = config.APPROVAL_CREDIT_LIMITS;
  const payout = await startPayoutService({
    database,
    bus,
    clock,
    log,
    tracing: opening.tracing,
    quote: connect(QuoteService, config.QUOTE_URL),
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    rails: createRailDirectory(
      [...(sandbox === undefined ? [] : [sandbox.rail]), ...live],
      config.RAIL_ROUTES,
      states.isPaused,
    ),
    states,
    sandbox,
    wallets: chains.map(({ wallet }) => wallet),
    stuckAfterMs: config.STUCK_AFTER_SECONDS * 1_000,
    railWorkers: config.RAIL_WORKERS,
    mode: config.DISBURSE_MODE,
    place: `${hostname()}:${config.PORT}`,
    metrics: createPayoutMetrics(metrics),
    bankSealer: banks.sealer,
    proposals: approvals,
    approvals: { ...own, limits },
    // Live, the house's money at rails is always two persons' work.
    treasuryApprovals: { ...own, limits: config.DISBURSE_MODE === "live" ? new Map() : limits },
  });
  lifetime.add("approvals", approvals.start().stop);
  lifetime.add("background", payout.stop);
  const { ledger, payouts, rails, wake } = payout.parts;
  for (const { rail, start } of banks.rails) lifetime.add(`rail ${rail.name}`, start(wake).stop);
  opening.ship(ledgerHeads({ accounts: database.db.collection("accounts") }));
  lifetime.add("gauges", startPayoutGauges({ database, rails: live, metrics, clock, log }).stop);
  const statements = { ledger, rails, metrics, clock, log };
  lifetime.add("statement gauges", startStatementGauges(statements).stop);
  if (sandbox !== undefined) startCallbacks(opening, sandbox);
  const receiptKey = opening.identity.serviceKey;
  const renders = createTurns({ restShare: 3 });
  return serve({
    services: [
      PayoutService,
      PayoutOrderService,
      PayoutOperationsService,
      StatementService,
      ApprovalService,
      ...(payout.sandbox === undefined ? [] : [PayoutSandboxService]),
    ],
    routes: (router) => {
      router.service(PayoutService, payout.rpc);
      router.service(PayoutOrderService, payout.orders);
      router.service(PayoutOperationsService, payout.operations);
      const ofStatements = { ledger, payouts, clock, receiptKey, renders };
      router.service(StatementService, statementsRpc(ofStatements));
      router.service(ApprovalService, approvals.rpc);
      if (payout.sandbox !== undefined) router.service(PayoutSandboxService, payout.sandbox);
    },
  });
});

/** The simulated rail; its callbacks are signed with a secret of this service's key. */
async function openSandbox({ config, database }: PayoutOpening, receive: Receive) {
  if (config.DISBURSE_MODE !== "sandbox") return undefined;
  const behaviour = {
    settleMs: config.SANDBOX_SETTLE_MS,
    delay: config.SANDBOX_DELAY,
    seed: config.SANDBOX_SEED,
    shares: config.SANDBOX_SCENARIOS,
  };
  const ownKey = config.SERVICE_KEY.privateKey.export({ format: "der", type: "pkcs8" });
  const callbackSecret = createHmac("sha256", ownKey).update("sandbox rail").digest("hex");
  const settings = await openSandboxSettings(database, clock);
  const owed = createWake();
  const actor = { kind: "service", id: "sandbox" } as const;
  // It calls back as any rail does, without the way over the network.
  const send = (message: SignedMessage) =>
    receive({ rail: "sandbox", ...message }, { actor, operationId: crypto.randomUUID() });
  const simulated = { database, clock, behaviour, callbackSecret, settings, owed, receive: send };
  return { rail: createSandboxRail(simulated), settings, owed };
}

/** Sends the callbacks of the simulated rail as they fall due. */
function startCallbacks(
  { log, lifetime }: PayoutOpening,
  { rail, owed: rouse }: NonNullable<Awaited<ReturnType<typeof openSandbox>>>,
): void {
  const pace = { everyMs: callbacksMs, restMs: callbacksRestMs, rouse };
  const loop = startLoop({ name: "sandbox-callbacks", ...pace, run: rail.sendDue, log });
  lifetime.add("sandbox callbacks", loop.stop);
}

/** The rails on EVM chains that the settings name. */
async function startChains(
  opening: PayoutOpening,
  { isPaused }: RailStates,
): Promise<RunningRail[]> {
  const { config, database, log, lifetime } = opening;
  const chains = config.evmChains;
  const metrics = evmMetrics(opening.metrics, chains);
  const started = chains.map((each) =>
    startEvmRail(each, { database, clock, log, isPaused, metrics }),
  );
  const running = await Promise.all(started);
  for (const { rail, stop } of running) lifetime.add(`rail ${rail.name}`, stop);
  const wallets = running.map(({ wallet }) => wallet.wallet);
  const orphans = await countOrphans(openTransferStore(database), wallets);
  metrics.orphaned(orphans);
  if (orphans > 0) log.error({ count: orphans }, "transfers of wallets that are not configured");
  return running;
}

/** Where texts of rails of banks are sealed. */
const sealedPlaces = [sealedPayments, sealedContents, sealedFindings, sealedProposals];

/** The rails of banks that the settings name. */
async function openBanks(opening: PayoutOpening, { isPaused }: RailStates) {
  const { config, database, log, lifetime, metrics } = opening;
  const { bankRails, sealing } = config;
  const gauges = { database, metrics, clock, log };
  if (sealing === undefined) {
    // Alert rules ask for them where there is no bank, too.
    bankMetrics(gauges, []);
    return { rails: [], sealer: undefined };
  }
  const keys = await openKeys(opening, sealing);
  const deps = { database, clock, log, isPaused, payouts: openPayouts(database) };
  const rails = bankRails.map((each) => openBankRail(each, { ...deps, sealer: keys.sealer }));
  lifetime.add("bank metrics", startBankMetrics(gauges, rails.map(measured)).stop);
  const resealing = startResealing({ database, metrics, log, keys, places: sealedPlaces });
  lifetime.add("resealing", resealing.stop);
  return { rails, sealer: keys.sealer };
}

/** What the gauges of a rail need to know of it. */
function measured({ rail, settledThrough }: BankRail): MeasuredRail {
  return { rail: rail.name, settledThrough };
}

if (import.meta.main) await runService("payout", start);
