import { walletRails } from "@disburse/chain-rail/wallet/rails.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { openBitcoinStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { bitcoinMetrics } from "./metrics.ts";
import { guardedBatches } from "./nodes/rpc.ts";
import { openBitcoinRail } from "./open.ts";
import { liveProblems, readBitcoinRails, setting } from "./settings.ts";

/** Creates the rails that pay on Bitcoin. Each wallet has its own rail. */
export const bitcoinRails: RailPackage = walletRails({
  setting,
  indexes,
  read: readBitcoinRails,
  problems: liveProblems,
  metrics: bitcoinMetrics,
  open: openBitcoinRail,
  openDocuments: (database) => {
    const { batches, transfers } = openBitcoinStore(database);
    return [batches, transfers];
  },
  rpc: (context, wallets) => guardedBatches({ ...context, wallets }),
});
