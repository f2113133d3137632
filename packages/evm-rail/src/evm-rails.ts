import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { indexes } from "@disburse/chain-rail/indexes.ts";
import { openedRails, reportOrphans } from "@disburse/chain-rail/opened-rails.ts";
import { guardedWallets } from "@disburse/chain-rail/rpc.ts";
import { liveProblems, serversOf } from "@disburse/chain-rail/settings.ts";
import { countOrphans } from "@disburse/chain-rail/store.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { evmMetrics } from "./metrics.ts";
import { openEvmRail } from "./open.ts";
import { readEvmChains, setting } from "./settings.ts";

/** Creates the rails that pay on EVM chains. Each wallet has its own rail. */
export const evmRails: RailPackage = {
  setting,
  indexes,
  sealed: [],
  configure: (text = "[]", mode) => {
    const chains = readEvmChains(text);
    const problems = mode === "live" ? liveProblems(chains) : [];
    if (problems.length > 0)
      throw new SettingsError(`settings: ${setting}: ${problems.join("; ")}`);
    return {
      names: chains.map(({ rail }) => rail),
      servers: serversOf(chains),
      needsSealer: false,
      open: async (context) => {
        const { database } = context;
        const metrics = evmMetrics(context.metrics, chains);
        const opened = await Promise.all(
          chains.map((each) => openEvmRail(each, { ...context, metrics })),
        );
        const wallets = opened.map(({ wallet }) => wallet);
        const names = wallets.map(({ wallet }) => wallet);
        const orphans = await countOrphans(openTransferStore(database), names);
        reportOrphans(context, setting, orphans);
        return openedRails(opened, guardedWallets({ ...context, wallets }));
      },
    };
  },
};
