import type { ServiceImpl } from "@connectrpc/connect";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { ExecuteDeps } from "./execution/execute.ts";
import { executionRpc } from "./execution/rpc.ts";
import { ledgerRpc } from "./ledger/rpc.ts";
import type { PayoutCounts } from "./payouts/counts.ts";
import { payoutsRpc, publishedRpc } from "./payouts/rpc.ts";
import { railsRpc, reportRpc } from "./rails/rpc.ts";
import { resolutionsRpc } from "./resolutions/rpc.ts";

/** The RPCs for the gateway and other services; proto/disburse/payout/v1/payout.proto has them. */
export function payoutRpc(
  deps: ExecuteDeps & { readonly counts: PayoutCounts; readonly mode: Mode },
): ServiceImpl<typeof PayoutService> {
  return {
    ...ledgerRpc(deps.ledger, deps.clock),
    ...executionRpc(deps),
    ...payoutsRpc(deps.payouts, deps.counts),
    ...reportRpc(deps),
  };
}

/** The RPCs for operators, rails and subscribers; payout_operations.proto has them. */
export function operationsRpc(
  deps: Parameters<typeof resolutionsRpc>[0] & Parameters<typeof railsRpc>[0],
): ServiceImpl<typeof PayoutOperationsService> {
  return { ...resolutionsRpc(deps), ...railsRpc(deps), ...publishedRpc(deps.payouts) };
}
