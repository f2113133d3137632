import type { ServiceImpl } from "@connectrpc/connect";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { ExecuteDeps } from "./execution/execute.ts";
import { executionRpc } from "./execution/rpc.ts";
import { guardedLedger, type LedgerApprovals } from "./ledger/approvals.ts";
import type { PayoutCounts } from "./payouts/counts.ts";
import { payoutsRpc, publishedRpc } from "./payouts/rpc.ts";
import { type BankRpcDeps, guardedBankFiles } from "./rails/bank/rpc.ts";
import { guardedWallets, type WalletDeps } from "./rails/chain/rpc.ts";
import type { RailReportDeps } from "./rails/reports.ts";
import { cancelRpc, destinationsRpc, railsRpc, reportRpc } from "./rails/rpc.ts";
import { resolutionsRpc } from "./resolutions/rpc.ts";
import { guardedTreasury } from "./treasury/approvals.ts";
import type { TreasuryDeps } from "./treasury/rpc.ts";
import { type VelocityDeps, velocityRpc } from "./velocity/rpc.ts";

/** The RPCs for the gateway and other services; proto/disburse/payout/v1/payout.proto has them. */
export function payoutRpc(
  deps: ExecuteDeps & RailReportDeps & PayoutRpcDeps,
): Partial<ServiceImpl<typeof PayoutService>> {
  const rpc = {
    ...guardedLedger(deps, deps.approvals),
    ...executionRpc(deps),
    ...payoutsRpc(deps.payouts, deps.counts),
    ...{ ...destinationsRpc(deps), ...cancelRpc(deps) },
    // One caller's word settles a payout or returns it: live, a rail alone reports, and signs.
    ...(deps.mode === "sandbox" && reportRpc(deps)),
  };
  return bindOperations(PayoutService, rpc, deps.bindings, { own: ["executePayout"] });
}

type PayoutRpcDeps = Parameters<typeof cancelRpc>[0] & {
  readonly approvals?: LedgerApprovals | undefined;
  readonly counts: PayoutCounts;
  readonly mode: Mode;
  readonly bindings: OperationBindings;
};

/** The RPCs for operators, rails and subscribers; payout_operations.proto has them. */
export function operationsRpc(
  deps: Parameters<typeof resolutionsRpc>[0] &
    Parameters<typeof railsRpc>[0] &
    VelocityDeps &
    WalletDeps &
    BankRpcDeps &
    TreasuryDeps & {
      readonly bindings: OperationBindings;
      readonly treasuryApprovals?: LedgerApprovals | undefined;
    },
): ServiceImpl<typeof PayoutOperationsService> {
  const rpc = {
    ...guardedBankFiles(deps),
    ...resolutionsRpc(deps),
    ...railsRpc(deps),
    ...guardedWallets(deps),
    ...velocityRpc(deps),
    ...guardedTreasury(deps, deps.treasuryApprovals),
    ...publishedRpc(deps.payouts),
  };
  // They change nothing, and show what merchants were sent and what banks propose.
  const noted = ["republishPayoutEvents", "getBankFinding"] as const;
  return bindOperations(PayoutOperationsService, rpc, deps.bindings, { noted });
}
