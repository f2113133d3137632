import type { ServiceImpl } from "@connectrpc/connect";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc } from "./quotes/rpc.ts";

/** The RPCs of this service; proto/disburse/quote/v1/quote.proto says what each promises. */
export function quoteRpc(
  deps: Omit<QuoteDeps & CorridorDeps, "current"> & { readonly operations: OperationBindings },
): ServiceImpl<typeof QuoteService> {
  const current = openCurrentCorridors(deps.corridors, deps.countRead);
  const rpc = { ...corridorsRpc({ ...deps, current }), ...quotesRpc({ ...deps, current }) };
  return bindOperations(QuoteService, rpc, deps.operations, ["createQuote", "claimQuote"]);
}
