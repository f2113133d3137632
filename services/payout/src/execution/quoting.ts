import type { Client } from "@connectrpc/connect";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";

type Quotes<Method extends keyof Client<typeof QuoteService>> = {
  readonly quote: Pick<Client<typeof QuoteService>, Method>;
};

/** The currency of `amount` is that of the `fixed` side. */
export type QuoteTerms = {
  readonly merchantId: string;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly source: string;
  readonly destination: string;
  readonly fixed: "source" | "receiving";
  readonly amount: bigint;
  /** The payout that the quote reissues. */
  readonly reissueOf?: string;
};

/** Creates a quote once per operation, or returns the quote service's refusal. */
export async function requestQuote(
  { quote: quotes }: Quotes<"createQuote">,
  operationId: string,
  { fixed, amount, source, destination, ...terms }: QuoteTerms,
): Promise<
  { readonly id: string; readonly source: bigint; readonly receiving: bigint } | Refused<string>
> {
  const fixedAmount =
    fixed === "source"
      ? { sourceAmount: formatAmount(amount, source) }
      : { receivingAmount: formatAmount(amount, destination) };
  try {
    const { quote } = await quotes.createQuote({
      mutation: { operationId },
      ...terms,
      ...fixedAmount,
      sourceCurrencyCode: source,
      destinationCurrencyCode: destination,
    });
    if (quote === undefined) throw new Error("the quote service returned no quote");
    return {
      id: quote.id,
      source: readAmount(quote.sourceAmount, source),
      receiving: readAmount(quote.receivingAmount, destination),
    };
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal === undefined || isUnavailable(error)) throw error;
    const { code, message: detail, ...more } = refusal;
    return { refused: code, detail, ...more };
  }
}

/**
 * Expires a quote permanently. Returns `false` if the quote is already claimed, so its payout
 * exists or will be created.
 */
export async function expireQuote(
  { quote: quotes }: Quotes<"expireQuote">,
  operationId: string,
  quoteId: string,
): Promise<boolean> {
  const mutation = { operationId };
  try {
    await quotes.expireQuote({ mutation, quoteId });
    return true;
  } catch (error) {
    if (readRefusal(error)?.code === "ALREADY_PROCESSED") return false;
    throw error;
  }
}
