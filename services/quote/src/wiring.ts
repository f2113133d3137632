import type { Database } from "@disburse/chassis/mongo/database.ts";
import { bindOperations, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { openCorridors } from "./corridors/store.ts";
import { sandboxQuotesRpc } from "./quotes/rpc.ts";
import { openQuotes } from "./quotes/store.ts";
import { type QuoteRpcDeps, quoteRpc } from "./rpc.ts";

type QuoteServiceOptions = Omit<QuoteRpcDeps, "quotes" | "corridors" | "operations"> & {
  readonly database: Database;
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
