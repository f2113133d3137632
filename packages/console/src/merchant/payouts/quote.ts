import type { Account, Beneficiary, Corridor, Quote } from "@disburse/sdk/gen/types.ts";
import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/request.ts";

/**
 * The payment for which a quote is requested. Either the source or the receiving amount is fixed.
 * Amounts are text.
 */
export type QuoteWish = {
  readonly account: Account;
  readonly beneficiary: Beneficiary;
  readonly side: "source_amount" | "receiving_amount";
  readonly amount: string;
};

export type PayoutDetails = { readonly reference: string; readonly remittance: string };

/**
 * A quote and the time at which it arrived. The quote's validity is measured only with this
 * browser's clock.
 */
export type TimedQuote = { readonly quote: Quote; readonly gotAt: number };

/** A quote with what it is for. */
export type Quoted = {
  readonly timed: TimedQuote;
  readonly wish: QuoteWish;
  readonly corridor: Corridor;
  readonly details: PayoutDetails;
};

/** The details as fields of a request's body. */
export const detailsBody = ({ reference, remittance = "" }: Partial<PayoutDetails>) => ({
  ...(reference && { reference_id: reference }),
  ...(remittance && { remittance_information: remittance }),
});

export function wishBody({ account, beneficiary, side, amount }: QuoteWish) {
  return {
    account_id: account.id,
    beneficiary_id: beneficiary.beneficiary_id,
    source_currency_code: account.currency_code,
    destination_currency_code: beneficiary.destination_currency,
    [side]: amount,
  };
}

/** Requests a quote. A new `round` requests another quote after the previous one has expired. */
export function quoteQuery(wish: QuoteWish | undefined, round: number) {
  const key = wish && [wish.account.id, wish.beneficiary.beneficiary_id, wish.side, wish.amount];
  return queryOptions({
    queryKey: ["quote", key, round],
    queryFn: async ({ signal }): Promise<TimedQuote> => {
      if (wish === undefined) throw new Error("no payment to quote");
      const body = wishBody(wish);
      const quote = await send<Quote>("POST", "/api/v1/transfer/rfq", { body, signal });
      return { quote, gotAt: performance.now() };
    },
    enabled: wish !== undefined,
    staleTime: "static",
    gcTime: 0,
    retry: false,
  });
}

/** Returns the remaining validity in milliseconds, from the server's creation and expiry times. */
export function validMs({ quote, gotAt }: TimedQuote, now: number): number {
  return Date.parse(quote.expired_at) - Date.parse(quote.created_at) - (now - gotAt);
}

export function corridorOf(
  corridors: readonly Corridor[],
  source: string | undefined,
  destination: string | undefined,
): Corridor | undefined {
  return corridors.find(
    (corridor) =>
      corridor.active &&
      corridor.source_currency_code === source &&
      corridor.destination_currency_code === destination,
  );
}

/** Returns the corridor's rail for a beneficiary, if known. */
export function railOf(corridor: Corridor, { transfer_method: method, ...rest }: Beneficiary) {
  const rails = corridor.rails.filter((rail) => rail.transfer_method === method);
  return rails.find(({ network }) => network === rest.routing_code_value_1) ?? rails[0];
}
