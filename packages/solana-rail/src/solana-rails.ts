import { openedRails, reportOrphans } from "@disburse/chain-rail/opened-rails.ts";
import { liveProblems, serversOf } from "@disburse/chain-rail/settings.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { indexes, openTransferStore } from "./documents.ts";
import { solanaMetrics } from "./metrics.ts";
import { openSolanaRail } from "./open.ts";
import { readSolanaChains, setting } from "./settings.ts";
import { countOrphans } from "./store.ts";

/** Creates the rails that pay on Solana. Each wallet has its own rail. */
export const solanaRails: RailPackage = {
  setting,
  indexes,
  sealed: [],
  configure: (text = "[]", mode) => {
    const chains = readSolanaChains(text);
    const problems = mode === "live" ? liveProblems(chains) : [];
    if (problems.length > 0)
      throw new SettingsError(`settings: ${setting}: ${problems.join("; ")}`);
    return {
      names: chains.map(({ rail }) => rail),
      servers: serversOf(chains),
      needsSealer: false,
      open: async (context) => {
        const { database } = context;
        const metrics = solanaMetrics(context.metrics, chains);
        const opened = await Promise.all(
          chains.map((each) => openSolanaRail(each, { ...context, metrics })),
        );
        const names = opened.map(({ wallet }) => wallet);
        const orphans = await countOrphans(openTransferStore(database), names);
        reportOrphans(context, setting, orphans);
        return openedRails(opened, {});
      },
    };
  },
};
