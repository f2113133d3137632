import { hostname } from "node:os";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { databaseClock, elapsedWithSleep } from "@disburse/chassis/mongo/clock.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { contentKeyOf, contentPurpose } from "@disburse/chassis/mutations/content.ts";
import { type Opening, runService, serviceStart } from "@disburse/chassis/service/start.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { type Clock, systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { processPlace } from "./deliveries/cluster/ownership.ts";
import { openSealedKeyStore, startResealing } from "./endpoints/keys.ts";
import { subscription } from "./events/intake.ts";
import type { MailDelivery } from "./mails/mailer.ts";
import { createMailSender } from "./mails/smtp.ts";
import { migrations } from "./migrations.ts";
import { createGapMetrics } from "./reconciliation/metrics.ts";
import { openGapStore } from "./reconciliation/store.ts";
import { gapLeaseMs, startGapSweep } from "./reconciliation/sweep.ts";
import { checkSourceAddress } from "./sender/connector.ts";
import type { AddressRules } from "./sender/rules/address.ts";
import { createSender } from "./sender/sender.ts";
import { createNotifier, type Notifier, startWorker } from "./wiring.ts";

export const start = serviceStart("notifier", readUsableConfig, migrations, async (opening) => {
  const { config, log, metrics, tracing, database, lifetime } = opening;
  const clock = await databaseClock(database);
  const addressRules: AddressRules = {
    policy: config.DISBURSE_MODE === "live" ? "public" : "sandbox",
    ownNetworks: config.WEBHOOK_REFUSED_NETWORKS,
    ownPorts: config.WEBHOOK_REFUSED_PORTS,
  };
  const localAddress = config.WEBHOOK_SOURCE_ADDRESS;
  const sender = createSender({ ...addressRules, localAddress, log });
  lifetime.add("sender", sender.close);
  const { sealer, hashes } = await openKeys(opening, config, contentPurpose);
  const approvals = openApprovals({
    db: database.db,
    clock,
    log,
    openMax: config.OPEN_PROPOSALS_PER_MERCHANT,
  });
  lifetime.add("approvals", approvals.start().stop);
  const notifier = createNotifier({
    database,
    approvals,
    post: sender.post,
    sealer,
    keyContent: contentKeyOf(hashes(contentPurpose)),
    signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
    ...addressRules,
    verifyUrls: config.WEBHOOK_VERIFY_URLS,
    place: processPlace(hostname(), config.PORT),
    // This clock also counts time in which the machine sleeps and sends no heartbeat.
    clock,
    wall: systemClock,
    elapsed: elapsedWithSleep(),
    metrics,
    log,
    tracing,
    mails: mailDelivery(opening),
  });
  const sealedKeys = openSealedKeyStore(notifier.endpoints);
  lifetime.add("resealing", startResealing({ sealedKeys, sealer, metrics, log }).stop);
  // The server must start before all other parts. The process that binds the port replaces the
  // previous process at this place.
  const server = await opening.startServer({
    services: [NotifierService, NotifierSandboxService, ApprovalService],
    routes: (router) => {
      router.service(NotifierService, notifier.rpc);
      router.service(NotifierSandboxService, notifier.sandboxRpc);
      router.service(ApprovalService, approvals.rpc);
    },
  });
  let worker: ReturnType<typeof startWorker> | undefined;
  lifetime.add("worker and server", async () => {
    // Both are stopped concurrently, because each may take 20 s. The port stays bound until both
    // have stopped.
    const left = worker?.stop();
    await server.stop(left);
    await left;
  });
  worker = startWorker(notifier, clock, log);
  const bus = await opening.openBus(config);
  await bus.subscribe(subscription(notifier, clock.now, log));
  startSweep(opening, notifier, clock);
  return server;
});

/** Reads the settings. Throws if the source address of webhooks doesn't belong to this machine. */
async function readUsableConfig(environment: Environment) {
  const config = readConfig(environment);
  const { WEBHOOK_SOURCE_ADDRESS: localAddress } = config;
  if (localAddress !== undefined) await checkSourceAddress(localAddress);
  return config;
}

/** Returns `undefined` if the deployment has no mail server. */
function mailDelivery({
  config,
  connect,
}: Opening<ReturnType<typeof readConfig>>): MailDelivery | undefined {
  const { DISBURSE_MODE: mode, mails } = config;
  if (mails === undefined) return undefined;
  const { server, from, consoleUrl, gatewayUrl, digestMs } = mails;
  const send = createMailSender({ server, from, mode });
  return { send, team: connect(TeamService, gatewayUrl), consoleUrl, mode, digestMs };
}

/** Starts the sweeps for lost events and for missing deliveries. */
function startSweep(
  { config, database, metrics, lifetime, log, connect }: Opening<ReturnType<typeof readConfig>>,
  notifier: Notifier,
  clock: Clock,
): void {
  const { PAYOUT_URL: url } = config;
  const everyMs = config.GAP_SWEEP_SECONDS * 1_000;
  const sweep = startGapSweep({
    gaps: openGapStore(database, notifier.events, notifier.deliveries),
    fanOut: notifier.fanOut,
    metrics: createGapMetrics(metrics),
    clock,
    log,
    everyMs,
    lease: createSweepLease(database, "gaps", gapLeaseMs(everyMs)),
    payout: url === undefined ? undefined : connect(PayoutOperatorService, url),
  });
  lifetime.add("gap sweep", sweep.stop);
}

if (import.meta.main) await runService("notifier", start);
