import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type CorridorLimits, corridorGuards } from "./corridors/approvals.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { railsTo } from "./corridors/rails.ts";
import { rateHistoryRpc } from "./corridors/rate-history.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc } from "./quotes/rpc.ts";

export type QuoteRpcDeps = Omit<QuoteDeps & CorridorDeps, "current" | "railsTo"> & {
  readonly operations: OperationBindings;
  /** Absent when no operators use the service, as in simulations. */
  readonly approvals?: Pick<ServiceApprovals, "guard"> & { readonly limits: CorridorLimits };
};

/** For the contract of the RPCs see proto/disburse/quote/v1. */
export function quoteRpc(deps: QuoteRpcDeps): ServiceImpl<typeof QuoteService> {
  const current = openCurrentCorridors(deps.corridors, deps.countRead);
  const listing = { current, railsTo: railsTo(deps.payout) };
  const rpc = {
    ...corridorsRpc({ ...deps, ...listing }),
    ...rateHistoryRpc(deps.corridors),
    ...quotesRpc({ ...deps, current }),
  };
  const { approvals } = deps;
  const guarded = approvals
    ? approvals.guard(QuoteService, rpc, corridorGuards({ ...deps, limits: approvals.limits }))
    : rpc;
  return bindOperations(QuoteService, guarded, deps.operations, {
    own: ["createQuote", "claimQuote", "expireQuote"],
  });
}
