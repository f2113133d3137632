import type { ServiceImpl } from "@connectrpc/connect";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { openCurrentCorridors } from "./corridors/current.ts";
import { type CorridorDeps, corridorsRpc } from "./corridors/rpc.ts";
import { type QuoteDeps, quotesRpc } from "./quotes/rpc.ts";

/** The RPCs of this service; proto/disburse/quote/v1/quote.proto says what each promises. */
export function quoteRpc(
  deps: Omit<QuoteDeps & CorridorDeps, "current">,
): ServiceImpl<typeof QuoteService> {
  const current = openCurrentCorridors(deps.corridors, deps.countRead);
  return { ...corridorsRpc({ ...deps, current }), ...quotesRpc({ ...deps, current }) };
}
