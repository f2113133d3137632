import {
  type Corridor,
  CreateQuoteRequestSchema,
  type Quote,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { requestForQuote } from "@disburse/forms/transfer.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import { pageQuery } from "../reference/page.ts";
import {
  getQuoteEndpoint,
  listCorridorsEndpoint,
  requestQuoteEndpoint,
} from "../reference/quotes.ts";
import { readMessage } from "./body.ts";
import { type Operation, param } from "./operation.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";

/** A quote (service interface, "Quote"). */
export function quoteData(quote: Quote) {
  return {
    id: quote.id,
    corridor_id: quote.corridorId,
    source_currency_code: quote.sourceCurrencyCode,
    destination_currency_code: quote.destinationCurrencyCode,
    source_amount: wireNumber(quote.sourceAmount),
    exchange_rate: wireNumber(quote.exchangeRate),
    receiving_amount: wireNumber(quote.receivingAmount),
    total_fees_currency: quote.sourceCurrencyCode,
    total_fees: wireNumber(quote.totalFees),
    converted_amount: wireNumber(quote.convertedAmount),
    created_at: wireTime(quote.createdAt),
    updated_at: wireTime(quote.updatedAt),
    expired_at: wireTime(quote.expiredAt),
  };
}

/** A corridor with what it costs now; bounds and a rate that there are not are left out. */
export function corridorData(corridor: Corridor) {
  const { limits, rate } = corridor;
  const bounds = {
    source_amount_min: limits?.sourceMin,
    source_amount_max: limits?.sourceMax,
    receiving_amount_min: limits?.receivingMin,
    receiving_amount_max: limits?.receivingMax,
  };
  const given = Object.entries(bounds).flatMap(([name, digits]) =>
    digits ? [[name, wireNumber(digits)] as const] : [],
  );
  return {
    id: corridor.id,
    source_currency_code: corridor.sourceCurrencyCode,
    destination_currency_code: corridor.destinationCurrencyCode,
    active: corridor.active,
    fees: { share: wireNumber(corridor.feeShare), flat: wireNumber(corridor.feeFlat) },
    limits: Object.fromEntries(given),
    ...(rate === undefined ? {} : { exchange_rate: wireNumber(rate.rate) }),
    rate_as_of: wireTime(rate?.asOf),
  };
}

/** Asking for a quote, reading it again, and what can be quoted. */
export function quoteOperations({ quote }: Pick<Clients, "quote">): readonly Operation[] {
  return [
    {
      ...requestQuoteEndpoint,
      answer: async ({ merchantId, mutation, body }) => {
        const { message, unreadable } = readMessage(
          requestForQuote,
          CreateQuoteRequestSchema,
          body,
        );
        const asked = Object.assign(message, { mutation, merchantId, unreadable });
        return quoteData(present((await quote.createQuote(asked)).quote));
      },
    },
    {
      ...getQuoteEndpoint,
      answer: async (call) => {
        const quoteId = param(call, "quoteId");
        const reply = await quote.getQuote({ merchantId: call.merchantId, quoteId });
        return quoteData(present(reply.quote));
      },
    },
    {
      ...listCorridorsEndpoint,
      answer: async ({ merchantId, query }) => {
        const asked = readQuery(query, pageQuery);
        if (isRefused(asked)) return asked;
        const reply = await quote.listCorridors({ merchantId, ...asked });
        return { corridors: reply.corridors.map(corridorData), meta_data: pageMetaData(reply) };
      },
    },
  ];
}
