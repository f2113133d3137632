import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { type CorridorLimits, corridorGuards } from "./corridors/approvals.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { railsTo } from "./corridors/rails.ts";
import { rateHistoryRpc } from "./corridors/rate-history.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc, sandboxQuotesRpc } from "./quotes/rpc.ts";
import type { QuoteStore } from "./quotes/store.ts";

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

/** The RPCs of a sandbox; quote_sandbox.proto has them. */
export function sandboxRpc(deps: {
  readonly quotes: QuoteStore;
  readonly operations: OperationBindings;
}): ServiceImpl<typeof QuoteSandboxService> {
  return bindOperations(QuoteSandboxService, sandboxQuotesRpc(deps), deps.operations);
}
