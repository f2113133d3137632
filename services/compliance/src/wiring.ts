import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import { openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { contentKeyOf, contentPurpose } from "@disburse/chassis/mutations/content.ts";
import type { Opening } from "@disburse/chassis/service/start.ts";
import { createTurns } from "@disburse/chassis/turns.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { openFileStore, sealedFiles } from "@disburse/files/store.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { reviewGuards } from "./alerts/approvals.ts";
import { sealedAlerts } from "./alerts/document.ts";
import { startReview } from "./alerts/open.ts";
import { subjectAlerts } from "./alerts/raising.ts";
import { openAlertStore } from "./alerts/store.ts";
import type { readConfig } from "./config.ts";
import { startWatch } from "./index/watch.ts";
import { changedEntriesOf, isListedIn } from "./lists/changed-entries.ts";
import { startLists } from "./lists/open.ts";
import { openListStore } from "./lists/store.ts";
import { createBlockingHashes } from "./monitoring/blocking-hashes.ts";
import { sealedSubjects } from "./monitoring/document.ts";
import { startMonitoring } from "./monitoring/loop.ts";
import { monitoringRpc, sandboxScreeningRpc } from "./monitoring/rpc.ts";
import { openSubjectStore } from "./monitoring/store.ts";
import { servedRpcs } from "./rpc.ts";
import { screeningRpc } from "./screening/rpc.ts";
import { openStore, sealedScreenings } from "./screening/store.ts";
import { createWalletProvider } from "./wallets/provider.ts";
import { walletProviderOf } from "./wallets/provider-setting.ts";

/** The purposes of keyed hashes. Stored hashes depend on these texts, so never change them. */
const hashed = {
  alerts: "compliance alerts",
  blocking: "compliance reverse keys",
  contents: contentPurpose,
} as const;

/**
 * The places of encrypted texts, to encrypt them again under a new key. The audit trail is
 * excluded, because its hash covers the encrypted texts.
 */
const sealedPlaces = [
  ...[sealedScreenings, sealedSubjects, sealedAlerts, sealedFiles, sealedProposals],
];

/** Opens the stores, starts the background work and serves the RPCs. */
export async function openCompliance(opening: Opening<ReturnType<typeof readConfig>>) {
  const { config, log, metrics, database, lifetime } = opening;
  const bus = await opening.openBus(config);
  const { LIST_SOURCES: sources } = config;
  const own = await openKeys(opening, config, ...Object.values(hashed));
  const { sealer, hashes } = own;
  const common = { database, metrics, clock, log };

  const lists = openListStore(database);
  const required = sources.filter(({ optional }) => !optional).map(({ list }) => list);
  const switched = createWake();
  const watched = { store: lists, log, required, countries: config.countries, switched };
  const watch = await startWatch(watched, config.LISTS_POLL_MS);
  lifetime.add("index", watch.stop);
  const indexed = () => watch.current()?.lists ?? [];
  const openMax = config.OPEN_PROPOSALS_PER_MERCHANT;
  const approvals = openApprovals({ ...common, db: database.db, sealer, openMax });

  const alerts = openAlertStore(database, sealer);
  const screenings = openStore(database, sealer);
  const keys = hashes(hashed.alerts);
  const monitoring = startMonitoring(
    { database, bus, metrics, switched, wholeEveryDays: config.RESCREEN_DAYS },
    {
      watch,
      sealer,
      clock,
      log,
      store: screenings,
      subjects: openSubjectStore(database),
      changedEntries: changedEntriesOf(lists),
      alerts: subjectAlerts({ store: alerts, keys, isListed: isListedIn(lists), clock }),
      hashes: createBlockingHashes(hashes(hashed.blocking)[0]),
    },
  );
  lifetime.add("monitoring", monitoring.stop);
  const [{ refresh }, { easedBy, rescreen }] = [watch, monitoring];
  const listing = { lists, sources, indexed, refresh, easedBy, approvals };
  const listService = startLists({ ...common, ...listing });
  lifetime.add("lists", listService.stop);
  const providerSetting = walletProviderOf(config);
  const provider = providerSetting && createWalletProvider(providerSetting, common);
  if (provider !== undefined) lifetime.add("wallet provider", provider.close);
  const screening = screeningRpc({ ...monitoring, provider });

  const stored = { alerts, screenings, lists, sealer };
  const review = await startReview({
    ...common,
    ...stored,
    rescreen,
    keys,
    files: openFileStore(database, sealer),
    payout: opening.connect(PayoutOperatorService, config.PAYOUT_URL),
    dueHours: { review: config.ALERT_HOURS_REVIEW, block: config.ALERT_HOURS_BLOCK },
    renders: createTurns({ restRatio: 3 }),
  });
  lifetime.add("review", review.stop);
  const resealing = startResealing({ ...common, keys: own, places: sealedPlaces });
  lifetime.add("resealing", resealing.stop);
  const operations = openOperationBindings(database, contentKeyOf(hashes(contentPurpose)));
  const clearing = { score: config.APPROVAL_CLEAR_SCORE, lists: config.APPROVAL_CLEAR_LISTS };
  const guards = reviewGuards(alerts, clearing);
  const rpcs = servedRpcs({
    operations,
    approvals: approvals.rpc,
    rpc: { ...screening, ...listService.rpc, ...monitoringRpc(monitoring) },
    review: approvals.guard(ComplianceReviewService, review.rpc, guards),
    sandbox: sandboxScreeningRpc({ ...monitoring, operations }),
  });
  // Starts after all guards are registered, because on start it closes approved requests of RPCs
  // that have no guard.
  lifetime.add("approvals", approvals.start().stop);
  return opening.serve(rpcs);
}
