import type { ServiceImpl } from "@connectrpc/connect";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc } from "./quotes/rpc.ts";

/** The RPCs of this service; proto/disburse/quote/v1/quote.proto says what each promises. */
export function quoteRpc(deps: QuoteDeps & CorridorDeps): ServiceImpl<typeof QuoteService> {
  return { ...corridorsRpc(deps), ...quotesRpc(deps) };
}
