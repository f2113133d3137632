import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { indexes } from "@disburse/chain-rail/indexes.ts";
import { guardedWallets } from "@disburse/chain-rail/rpc.ts";
import { countOrphans } from "@disburse/chain-rail/store.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { evmMetrics } from "./metrics.ts";
import { openEvmRail } from "./open.ts";
import { liveProblems, readEvmChains, serversOf, setting } from "./settings.ts";

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
        const { database, log } = context;
        const metrics = evmMetrics(context.metrics, chains);
        const opened = await Promise.all(
          chains.map((each) => openEvmRail(each, { ...context, metrics })),
        );
        const wallets = opened.map(({ wallet }) => wallet);
        const names = wallets.map(({ wallet }) => wallet);
        const orphans = await countOrphans(openTransferStore(database), names);
        metrics.orphaned(orphans);
        if (orphans > 0) {
          log.error(
            { count: orphans },
            "open transfers belong to wallets that EVM_CHAINS does not name",
          );
        }
        const start = () => {
          const running = opened.map((each) => each.start());
          return { stop: async () => void (await Promise.all(running.map((each) => each.stop()))) };
        };
        return {
          rails: opened.map(({ rail }) => rail),
          rpc: guardedWallets({ ...context, wallets }),
          start,
        };
      },
    };
  },
};
