import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";

/** A payout as its event carries it; amounts and rate are decimal text. */
export type PayoutSnapshot = {
  readonly id: string;
  readonly referenceId: string;
  readonly status: string;
  readonly merchantId: string;
  readonly quoteId: string;
  readonly corridorId: string;
  readonly sourceCurrencyCode: string;
  readonly destinationCurrencyCode: string;
  readonly beneficiaryId: string;
  readonly sourceAmount: string;
  readonly receivingAmount: string;
  readonly exchangeRate: string;
  readonly totalFees: string;
  readonly uniqueTransactionReference: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const encoder = new TextEncoder();

/** `data_json` goes in as it came, so the frame is written around it and never parsed again. */
function framed(transactionType: string, transactionId: string, dataJson: string): Uint8Array {
  const type = JSON.stringify(transactionType);
  const id = JSON.stringify(transactionId);
  return encoder.encode(`{"transaction_type":${type},"transaction_id":${id},"data":${dataJson}}`);
}

/**
 * The bytes of a payout's webhook, fields in the interface's order, amounts with the digits that
 * the event carries. Throws where an amount is no decimal text: such an event was not made by us.
 */
export function payoutBody(payout: PayoutSnapshot): Uint8Array {
  const data = {
    id: payout.id,
    reference_id: payout.referenceId,
    status: payout.status,
    merchant_id: payout.merchantId,
    quote_id: payout.quoteId,
    corridor_id: payout.corridorId,
    source_currency_code: payout.sourceCurrencyCode,
    destination_currency_code: payout.destinationCurrencyCode,
    beneficiary_id: payout.beneficiaryId,
    source_amount: exactNumber(payout.sourceAmount),
    receiving_amount: exactNumber(payout.receivingAmount),
    exchange_rate: exactNumber(payout.exchangeRate),
    total_fees: exactNumber(payout.totalFees),
    fixed_cost_currency: payout.sourceCurrencyCode,
    unique_transaction_reference: payout.uniqueTransactionReference,
    created_at: isoTime(payout.createdAt),
    updated_at: isoTime(payout.updatedAt),
  };
  return framed("payout_session", payout.id, JSON.stringify(data));
}

/**
 * The bytes of a payment session's or refund's webhook: `data` is the publisher's, byte for byte.
 */
export function merchantEventBody(type: string, id: string, dataJson: string): Uint8Array {
  return framed(type, id, dataJson);
}

/** A test event; signed and retried like any other. */
type TestEvent = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly createdAt: Date;
};

/** A test event's own kind and status, so that no receiver takes it for a payout. */
export const testTransactionType = "webhook_test";
/** Status of a test event. */
export const testStatus = "test";

/** The bytes of a test event: the usual frame, `data.id` and `data.status` signed as usual. */
export function testBody(test: TestEvent): Uint8Array {
  const data = {
    id: test.eventId,
    status: testStatus,
    merchant_id: test.merchantId,
    endpoint_id: test.endpointId,
    created_at: isoTime(test.createdAt),
  };
  return framed(testTransactionType, test.eventId, JSON.stringify(data));
}
