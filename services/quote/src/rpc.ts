import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type CorridorLimits, corridorGuards } from "./corridors/approvals.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { railsTo } from "./corridors/rails.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc } from "./quotes/rpc.ts";

/** The RPCs of this service; proto/disburse/quote/v1/quote.proto says what each promises. */
export function quoteRpc(
  deps: Omit<QuoteDeps & CorridorDeps, "current" | "railsTo"> & {
    readonly operations: OperationBindings;
    /** What one person may change alone; absent where there are no persons. */
    readonly approvals?: Pick<ServiceApprovals, "guard"> & { readonly limits: CorridorLimits };
  },
): ServiceImpl<typeof QuoteService> {
  const current = openCurrentCorridors(deps.corridors, deps.countRead);
  const listing = { current, railsTo: railsTo(deps.payout) };
  const rpc = { ...corridorsRpc({ ...deps, ...listing }), ...quotesRpc({ ...deps, current }) };
  const { approvals } = deps;
  const guarded = approvals
    ? approvals.guard(QuoteService, rpc, corridorGuards({ ...deps, limits: approvals.limits }))
    : rpc;
  return bindOperations(QuoteService, guarded, deps.operations, {
    own: ["createQuote", "claimQuote"],
  });
}
