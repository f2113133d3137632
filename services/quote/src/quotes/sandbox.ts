import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { quoteMessage } from "./rpc.ts";
import type { QuoteStore } from "./store.ts";

/** The RPCs by which a merchant of a sandbox brings its quotes to their states. */
export function sandboxQuotesRpc({ quotes }: { readonly quotes: QuoteStore }) {
  return {
    expireQuoteNow: async ({ mutation, merchantId, quoteId }) => {
      readMutation(mutation);
      const ended = await quotes.endNow(merchantId, quoteId);
      const quote = orThrow(ended ?? refused("RECORD_NOT_FOUND"));
      if (quote.state === "claimed") orThrow(refused("ALREADY_PROCESSED"));
      return { quote: quoteMessage(quote) };
    },
  } satisfies ServiceImpl<typeof QuoteSandboxService>;
}
