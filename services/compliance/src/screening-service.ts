import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { subjectAlerts } from "./alerts/raising.ts";
import { openAlertStore } from "./alerts/store.ts";
import type { IsListed } from "./lists/listed-entry.ts";
import { startMonitoring } from "./monitoring/loop.ts";
import { createReverseHashes } from "./monitoring/reverse-hashes.ts";
import { openSubjectStore } from "./monitoring/store.ts";
import { screeningRpc } from "./screening/rpc.ts";
import type { ChangedEntries, IndexWatch } from "./screening/screening-index.ts";
import { openStore } from "./screening/store.ts";
import { createWalletProvider } from "./wallets/provider.ts";
import type { WalletProviderSetting } from "./wallets/provider-setting.ts";

/** What screening stands on. */
export type ScreeningServiceOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly watch: IndexWatch;
  readonly changedEntries: ChangedEntries;
  readonly isListed: IsListed;
  /** See `encryptionKeysSetting`. */
  readonly encryptionKeys: string;
  /** See `MonitoringOptions`. */
  readonly wholeEveryDays: number;
  /** Asked about wallets that no list has; `undefined` for lists alone. */
  readonly walletProvider: WalletProviderSetting | undefined;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Opens the stores of screenings, subjects and alerts, and starts monitoring. */
export async function startScreening(options: ScreeningServiceOptions) {
  const { database, bus, watch, changedEntries, encryptionKeys, metrics, clock, log } = options;
  const { isListed } = options;
  const sealer = createSealer(encryptionKeys);
  const store = await openStore(database, sealer);
  const alertStore = await openAlertStore(database, sealer);
  const keys = createKeyedHashes(encryptionKeys, "compliance alerts");
  const screenings = metrics.counter("disburse_screenings_total", "Screenings made", [
    "kind",
    "verdict",
  ]);
  const monitoring = startMonitoring(
    { database, bus, metrics, wholeEveryDays: options.wholeEveryDays },
    {
      store,
      subjects: await openSubjectStore(database),
      watch,
      changedEntries,
      alerts: subjectAlerts({ store: alertStore, keys, isListed, clock }),
      hashes: createReverseHashes(encryptionKeys),
      sealer,
      clock,
      log,
      screened: ({ kind, verdict }) => screenings.inc({ kind, verdict }),
    },
  );
  const provider =
    options.walletProvider === undefined
      ? undefined
      : createWalletProvider(options.walletProvider, { metrics, clock, log });
  return {
    rpc: screeningRpc({ ...monitoring.deps, provider }),
    /** For review: the alerts, and what follows a decision. */
    alertStore,
    store,
    rescreen: monitoring.rescreen,
    /** Ends the background work after its present runs. */
    stop: async () => {
      await monitoring.stop();
      await provider?.close();
    },
  };
}
