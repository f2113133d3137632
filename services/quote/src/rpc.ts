import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import {
  bindOperations,
  type OperationBindings,
  openOperationBindings,
} from "@disburse/chassis/mutations/bindings.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { type CorridorLimits, corridorGuards } from "./corridors/approvals.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { railsTo } from "./corridors/rails.ts";
import { rateHistoryRpc } from "./corridors/rate-history.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { openCorridors } from "./corridors/store.ts";
import { type QuoteDeps, quotesRpc, sandboxQuotesRpc } from "./quotes/rpc.ts";
import { openQuotes } from "./quotes/store.ts";

type Opened = "quotes" | "corridors" | "current" | "railsTo";

export type QuoteServiceOptions = Omit<QuoteDeps & CorridorDeps, Opened> & {
  readonly database: Database;
  /** Absent when no operators use the service, as in simulations. */
  readonly approvals?: Pick<ServiceApprovals, "guard"> & { readonly limits: CorridorLimits };
};

/** Opens the stores and binds the RPCs. For their contract see proto/disburse/quote/v1. */
export function openQuoteService(options: QuoteServiceOptions) {
  const { database } = options;
  const operations = openOperationBindings(database);
  const [quotes, corridors] = [openQuotes(database), openCorridors(database)];
  return {
    corridors,
    rpc: quoteRpc({ ...options, operations, quotes, corridors }),
    sandboxRpc: bindOperations(QuoteSandboxService, sandboxQuotesRpc({ quotes }), operations),
  };
}

type RpcDeps = Omit<QuoteDeps & CorridorDeps, "current" | "railsTo"> &
  Pick<QuoteServiceOptions, "approvals"> & { readonly operations: OperationBindings };

function quoteRpc(deps: RpcDeps): ServiceImpl<typeof QuoteService> {
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
