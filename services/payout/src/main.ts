import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import { openDailySums } from "@disburse/chassis/approvals/daily-sums.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service/start.ts";
import { createTurns } from "@disburse/chassis/turns.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { ledgerHeads } from "@disburse/ledger/recorder.ts";
import type { OpenRails, RailContext } from "@disburse/rail/rail-package.ts";
import { readConfig } from "./config.ts";
import { startPayoutGauges } from "./gauges.ts";
import { createPayoutMetrics } from "./metrics.ts";
import { migrations } from "./migrations.ts";
import type { ReceivedMessage } from "./rails/callbacks.ts";
import { createRailDirectory } from "./rails/directory.ts";
import { railPackages } from "./rails/packages.ts";
import type { SignedMessage } from "./rails/sandbox/callbacks.ts";
import { createSandboxRail } from "./rails/sandbox/rail.ts";
import { openSandboxScenarios } from "./rails/sandbox/scenario-store.ts";
import { openRailStates } from "./rails/states.ts";
import { servedRpcs } from "./rpc.ts";
import { statementsRpc } from "./statements/rpc.ts";
import { startStatementGauges } from "./treasury/gauges.ts";
import { startPayoutService } from "./wiring.ts";

/**
 * The maximum delay of a sandbox rail's callback. After 10 s without callbacks it is
 * `callbacksRestMs`.
 */
const callbacksMs = 100;
const callbacksRestMs = 1_000;

/** Passes a callback to the service, which must have started. */
type Receive = (message: ReceivedMessage, by: Change) => Promise<unknown>;
type PayoutOpening = Opening<ReturnType<typeof readConfig>>;

export const start = serviceStart(
  "payout",
  readConfig,
  migrations,
  async (opening) => {
    const { config, log, metrics, database, lifetime, connect, serve } = opening;
    const bus = await opening.openBus(config);
    const sandbox = await openSandbox(opening, (...of): Promise<unknown> => payout.receive(...of));
    const states = openRailStates(database, clock);
    const sealer = await openRailKeys(opening);
    const approvals = openApprovals({
      db: database.db,
      clock,
      log,
      openMax: config.OPEN_PROPOSALS_PER_MERCHANT,
      // Encrypts stored proposals: their requests may contain a bank file.
      sealer,
    });
    const live = await openRails(opening, {
      sealer,
      isPaused: states.isPaused,
      approvals,
      callForWork: (ids): Promise<void> => payout.callForWork(ids),
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
        [...(sandbox === undefined ? [] : [sandbox.rail]), ...live.rails],
        config.RAIL_ROUTES,
        states.isPaused,
      ),
      states,
      sandbox,
      railRpc: live.rpc,
      stuckAfterMs: config.STUCK_AFTER_SECONDS * 1_000,
      railWorkers: config.RAIL_WORKERS,
      mode: config.DISBURSE_MODE,
      place: `${hostname()}:${config.PORT}`,
      metrics: createPayoutMetrics(metrics),
      proposals: approvals,
      approvals: { ...own, limits },
      // In live mode no currency has a limit, so every funding and sweep needs a second operator.
      treasuryApprovals: { ...own, limits: config.DISBURSE_MODE === "live" ? new Map() : limits },
    });
    lifetime.add("approvals", approvals.start().stop);
    lifetime.add("background", payout.stop);
    const { ledger, payouts, rails } = payout.parts;
    lifetime.add("rails", live.start().stop);
    opening.ship(ledgerHeads(ledger));
    const shown = { metrics, clock, log };
    lifetime.add(
      "gauges",
      startPayoutGauges({ database, ledger, rails: live.rails, ...shown }).stop,
    );
    lifetime.add("statement gauges", startStatementGauges({ ledger, rails, ...shown }).stop);
    if (sandbox !== undefined) startCallbacks(opening, sandbox);
    const receiptKey = opening.identity.serviceKey;
    const renders = createTurns({ restRatio: 3 });
    const statements = statementsRpc({ ledger, payouts, clock, receiptKey, renders });
    return serve(servedRpcs({ ...payout, statements, approvals: approvals.rpc }));
  },
  ({ rails }) => rails.flatMap((each) => each.servers),
);

/**
 * Opens the simulated rail, or returns `undefined` in live mode. The secret that signs its
 * callbacks is derived from the service's key.
 */
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
  const scenarios = await openSandboxScenarios(database, clock);
  const pending = createWake();
  const actor = { kind: "service", id: "sandbox" } as const;
  // Callbacks of the simulated rail reach the service without a network call.
  const send = (message: SignedMessage) =>
    receive({ rail: "sandbox", ...message }, { actor, operationId: crypto.randomUUID() });
  const simulated = {
    database,
    clock,
    behaviour,
    callbackSecret,
    scenarios,
    pending,
    receive: send,
  };
  return { rail: createSandboxRail(simulated), scenarios, pending };
}

/** Sends the callbacks of the simulated rail when they are due. */
function startCallbacks(
  { log, lifetime }: PayoutOpening,
  { rail, pending: rouse }: NonNullable<Awaited<ReturnType<typeof openSandbox>>>,
): void {
  const pace = { everyMs: callbacksMs, restMs: callbacksRestMs, rouse };
  const loop = startLoop({ name: "sandbox-callbacks", ...pace, run: rail.sendDue, log });
  lifetime.add("sandbox callbacks", loop.stop);
}

/** Opens the configured rails. */
async function openRails(
  { config, database, log, metrics }: PayoutOpening,
  context: Pick<RailContext, "sealer" | "isPaused" | "approvals" | "callForWork">,
): Promise<OpenRails> {
  const audit = openAuditStore<string>(database);
  const opening = { ...context, database, clock, log, metrics, audit };
  const opened = await Promise.all(config.rails.map((each) => each.open(opening)));
  return {
    rails: opened.flatMap(({ rails }) => rails),
    rpc: Object.assign({}, ...opened.map(({ rpc }) => rpc)),
    start: () => {
      const running = opened.map((each) => each.start());
      return { stop: async () => void (await Promise.all(running.map((each) => each.stop()))) };
    },
  };
}

/**
 * Opens the keys that encrypt stored texts of rails. Returns `undefined` if no rail needs
 * encryption.
 */
async function openRailKeys(opening: PayoutOpening) {
  const { config, database, log, lifetime, metrics } = opening;
  if (config.sealing === undefined) return undefined;
  const keys = await openKeys(opening, config.sealing);
  const places = [...railPackages.flatMap(({ sealed }) => sealed), sealedProposals];
  const resealing = startResealing({ database, metrics, log, keys, places });
  lifetime.add("resealing", resealing.stop);
  return keys.sealer;
}

if (import.meta.main) await runService("payout", start);
