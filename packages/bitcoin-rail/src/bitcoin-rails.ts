import { openedRails, reportOrphans } from "@disburse/chain-rail/opened-rails.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { openBitcoinStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { bitcoinMetrics } from "./metrics.ts";
import { openBitcoinRail } from "./open.ts";
import { guardedBatches } from "./rpc.ts";
import { liveProblems, readBitcoinRails, serversOf, setting } from "./settings.ts";
import { countOrphans } from "./store.ts";

/** Creates the rails that pay on Bitcoin. Each wallet has its own rail. */
export const bitcoinRails: RailPackage = {
  setting,
  indexes,
  sealed: [],
  configure: (text = "[]", mode) => {
    const configured = readBitcoinRails(text);
    const problems = mode === "live" ? liveProblems(configured) : [];
    if (problems.length > 0)
      throw new SettingsError(`settings: ${setting}: ${problems.join("; ")}`);
    return {
      names: configured.map(({ rail }) => rail),
      servers: serversOf(configured),
      needsSealer: false,
      open: async (context) => {
        const { database } = context;
        const metrics = bitcoinMetrics(context.metrics, configured);
        const opened = await Promise.all(
          configured.map((each) => openBitcoinRail(each, { ...context, metrics })),
        );
        const wallets = opened.map(({ wallet }) => wallet);
        const names = wallets.map(({ wallet }) => wallet);
        const orphans = await countOrphans(openBitcoinStore(database), names);
        reportOrphans(context, setting, orphans);
        return openedRails(opened, guardedBatches({ ...context, wallets }));
      },
    };
  },
};
