import { walletRails } from "@disburse/chain-rail/wallet/rails.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { indexes, openTransferStore } from "./documents.ts";
import { solanaMetrics } from "./metrics.ts";
import { openSolanaRail } from "./open.ts";
import { readSolanaChains, setting } from "./settings.ts";

/** Creates the rails that pay on Solana. Each wallet has its own rail. */
export const solanaRails: RailPackage = walletRails({
  setting,
  indexes,
  read: readSolanaChains,
  metrics: solanaMetrics,
  open: openSolanaRail,
  openDocuments: (database) => [openTransferStore(database)],
});
