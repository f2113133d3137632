import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import { openDailySums } from "@disburse/chassis/approvals/daily-sums.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startPayoutGauges } from "./gauges.ts";
import { ledgerHeads } from "./ledger/heads.ts";
import { createPayoutMetrics } from "./metrics.ts";
import { migrations } from "./migrations.ts";
import { evmMetrics } from "./rails/evm/metrics.ts";
import { type RunningRail, startEvmRail } from "./rails/evm/open.ts";
import { createSandboxRail, type SandboxRail } from "./rails/sandbox/rail.ts";
import { openRailStates } from "./rails/states.ts";
import { startPayoutService } from "./service.ts";

/** How late a message of the sandbox's rail may go out. */
const callbacksMs = 100;

type PayoutOpening = Opening<ReturnType<typeof readConfig>>;

/** Starts the payout service: its RPCs, the relay of its events, its rail workers and sweeps. */
export const start = serviceStart("payout", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime, connect, serve } = opening;
  const bus = await opening.openBus(config);
  const sandboxRail = config.DISBURSE_MODE === "sandbox" ? openSandboxRail(opening) : undefined;
  const chains = await startChains(opening);
  const approvals = openApprovals({ db: database.db, clock, log });
  const payout = await startPayoutService({
    ...{ database, bus, clock, log, tracing: opening.tracing },
    quote: connect(QuoteService, config.QUOTE_URL),
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    rails: [...(sandboxRail === undefined ? [] : [sandboxRail]), ...chains.map(({ rail }) => rail)],
    wallets: chains.map(({ wallet }) => wallet),
    routes: config.RAIL_ROUTES,
    stuckAfterMs: config.STUCK_AFTER_SECONDS * 1_000,
    railWorkers: config.RAIL_WORKERS,
    mode: config.DISBURSE_MODE,
    place: `${hostname()}:${config.PORT}`,
    metrics: createPayoutMetrics(metrics),
    approvals: {
      guard: approvals.guard,
      sums: openDailySums(database),
      limits: config.APPROVAL_CREDIT_LIMITS,
    },
  });
  lifetime.add("approvals", approvals.start().stop);
  lifetime.add("background", payout.stop);
  opening.ship(ledgerHeads({ accounts: database.db.collection("accounts") }));
  lifetime.add("gauges", startPayoutGauges({ database, metrics, clock, log }).stop);
  if (sandboxRail !== undefined) startCallbacks(opening, sandboxRail, payout.receive);
  return serve({
    services: [PayoutService, PayoutOperationsService, ApprovalService],
    routes: (router) => {
      router.service(PayoutService, payout.rpc);
      router.service(PayoutOperationsService, payout.operations);
      router.service(ApprovalService, approvals.rpc);
    },
  });
});

/** The simulated rail; its callbacks are signed with a secret of this service's key. */
function openSandboxRail({ config, database }: PayoutOpening): SandboxRail {
  const behaviour = {
    settleMs: config.SANDBOX_SETTLE_MS,
    delay: config.SANDBOX_DELAY,
    seed: config.SANDBOX_SEED,
    shares: config.SANDBOX_SCENARIOS,
  };
  const ownKey = config.SERVICE_KEY.privateKey.export({ format: "der", type: "pkcs8" });
  const callbackSecret = createHmac("sha256", ownKey).update("sandbox rail").digest("hex");
  return createSandboxRail({ database, clock, behaviour, callbackSecret });
}

/** The simulated rail calls back as any rail does, without the way over the network. */
function startCallbacks(
  { log, lifetime }: PayoutOpening,
  rail: SandboxRail,
  receive: Awaited<ReturnType<typeof startPayoutService>>["receive"],
): void {
  const actor = { kind: "service", id: rail.name } as const;
  rail.sendTo((message) =>
    receive({ rail: rail.name, ...message }, { actor, operationId: crypto.randomUUID() }),
  );
  const loop = { name: "sandbox-callbacks", everyMs: callbacksMs, run: rail.sendDue, log };
  lifetime.add("sandbox callbacks", startLoop(loop).stop);
}

/** The rails on EVM chains that the settings name. */
async function startChains(opening: PayoutOpening): Promise<RunningRail[]> {
  const { config, database, log, lifetime } = opening;
  const chains = config.evmChains;
  const { isPaused } = openRailStates(database, clock);
  const metrics = evmMetrics(opening.metrics, chains);
  const started = chains.map((each) =>
    startEvmRail(each, { database, clock, log, isPaused, metrics }),
  );
  const running = await Promise.all(started);
  for (const { rail, stop } of running) lifetime.add(`rail ${rail.name}`, stop);
  return running;
}

if (import.meta.main) await runService("payout", start);
