import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { indexes } from "@disburse/chain-rail/indexes.ts";
import { guardedWallets } from "@disburse/chain-rail/rpc.ts";
import { walletRails } from "@disburse/chain-rail/wallet/rails.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { evmMetrics } from "./metrics.ts";
import { openEvmRail } from "./open.ts";
import { readEvmChains, setting } from "./settings.ts";

/** Creates the rails that pay on EVM chains. Each wallet has its own rail. */
export const evmRails: RailPackage = walletRails({
  setting,
  indexes,
  read: readEvmChains,
  metrics: evmMetrics,
  open: openEvmRail,
  openDocuments: (database) => [openTransferStore(database).transfers],
  rpc: (context, wallets) => guardedWallets({ ...context, wallets }),
});
