import type { CreateQuoteRequest } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { checkBody } from "@disburse/forms/check-body.ts";
import { requestForQuote } from "@disburse/forms/transfer.ts";
import { type Refused, refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import type { QuoteRequest } from "./domain/quote.ts";

/** The request's fields, checked by their form; every failing one is named. */
export function readQuoteRequest(
  message: CreateQuoteRequest,
  now: Date,
): QuoteRequest | Refused<"INVALID_REQUEST"> {
  const body = {
    source_amount: message.sourceAmount,
    receiving_amount: message.receivingAmount,
    beneficiary_id: message.beneficiaryId,
    source_currency_code: message.sourceCurrencyCode,
    destination_currency_code: message.destinationCurrencyCode,
    account_id: message.accountId,
  };
  const checked = checkBody(requestForQuote, body, { now, unreadable: message.unreadable });
  if (Array.isArray(checked)) return refused("INVALID_REQUEST", violationsMessage(checked));
  const text = (field: keyof typeof body) => {
    const value = checked.values[field];
    return typeof value === "string" ? value : "";
  };
  return {
    merchantId: message.merchantId,
    accountId: text("account_id"),
    beneficiaryId: text("beneficiary_id"),
    source: text("source_currency_code"),
    destination: text("destination_currency_code"),
    sourceAmount: text("source_amount"),
    receivingAmount: text("receiving_amount"),
  };
}
