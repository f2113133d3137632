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
        const { database, log } = context;
        const metrics = bitcoinMetrics(context.metrics, configured);
        const opened = await Promise.all(
          configured.map((each) => openBitcoinRail(each, { ...context, metrics })),
        );
        const wallets = opened.map(({ wallet }) => wallet);
        const names = wallets.map(({ wallet }) => wallet);
        const orphans = await countOrphans(openBitcoinStore(database), names);
        metrics.orphaned(orphans);
        if (orphans > 0) {
          log.error(
            { count: orphans },
            `open payments belong to wallets that ${setting} does not name`,
          );
        }
        const start = () => {
          const running = opened.map((each) => each.start());
          return { stop: async () => void (await Promise.all(running.map((each) => each.stop()))) };
        };
        return {
          rails: opened.map(({ rail }) => rail),
          rpc: guardedBatches({ ...context, wallets }),
          start,
        };
      },
    };
  },
};
