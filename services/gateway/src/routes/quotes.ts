import {
  CreateQuoteRequestSchema,
  type Quote,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { requestForQuote } from "@disburse/forms/transfer.ts";
import type { Clients } from "../clients.ts";
import { readMessage } from "./body.ts";
import { type Operation, param } from "./operation.ts";
import { present, wireNumber, wireTime } from "./wire.ts";

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

/** Asking for a quote, and reading it again. */
export function quoteOperations({ quote }: Pick<Clients, "quote">): readonly Operation[] {
  return [
    {
      method: "POST",
      path: "/api/v1/transfer/rfq",
      scope: "quote:write",
      body: "required",
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
      method: "GET",
      path: "/api/v1/transfer/quotes/:quoteId",
      scope: "quote:read",
      answer: async (call) => {
        const quoteId = param(call, "quoteId");
        const reply = await quote.getQuote({ merchantId: call.merchantId, quoteId });
        return quoteData(present(reply.quote));
      },
    },
  ];
}
