import {
  type ListPayoutsResponse,
  type Payout,
  type PayoutEvent,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { pageMetaData, wireNumber, wireTime } from "./wire.ts";
import { payoutCauses, payoutStatuses, payoutSubStatuses } from "./words.ts";

/** One payout (service interface, "Payout"; decisions §6). */
export function payoutData(payout: Payout) {
  return {
    id: payout.id,
    reference_id: payout.referenceId,
    status: payoutStatuses[payout.status],
    sub_status: payoutSubStatuses[payout.subStatus],
    parent_id: payout.merchantId,
    quote_id: payout.quoteId,
    corridor_id: payout.corridorId,
    source_currency_code: payout.sourceCurrencyCode,
    destination_currency_code: payout.destinationCurrencyCode,
    beneficiary_id: payout.beneficiaryId,
    source_amount: wireNumber(payout.sourceAmount),
    receiving_amount: wireNumber(payout.receivingAmount),
    exchange_rate: wireNumber(payout.exchangeRate),
    total_fees: wireNumber(payout.totalFees),
    fixed_cost_currency: payout.sourceCurrencyCode,
    unique_transaction_reference: payout.uniqueTransactionReference,
    created_at: wireTime(payout.createdAt),
    updated_at: wireTime(payout.updatedAt),
  };
}

/** One step of a payout's timeline. */
export function payoutEventData(event: PayoutEvent) {
  return {
    status: payoutStatuses[event.status],
    sub_status: payoutSubStatuses[event.subStatus],
    cause: payoutCauses[event.cause],
    version: wireNumber(String(event.version)),
    created_at: wireTime(event.createdAt),
  };
}

function currencyData(code: string) {
  const currency = findCurrency(code);
  return { name: currency?.name ?? code, symbol: currency?.symbol ?? code };
}

/** One line of the list (service interface, "Payout list item"; decisions §6). */
export function payoutItem(payout: Payout) {
  const isCrypto = payout.transferMethod === "CRYPTO";
  const reference = payout.uniqueTransactionReference;
  const isReversed = payout.status === PayoutStatus.FAILED;
  return {
    id: payout.id,
    title: payout.beneficiaryName,
    sub_title: `${payout.destinationCurrencyCode} ${payout.transferMethod}`,
    status: payoutStatuses[payout.status],
    sub_status: payoutSubStatuses[payout.subStatus],
    transaction_type: "payout_session",
    transfer_method: isReversed ? "CREDIT_REVERSAL" : payout.transferMethod,
    transfer_type: "debit",
    transaction_hash: isCrypto ? reference : "",
    bank_reference_number: isCrypto ? "" : reference,
    beneficiary_name: payout.beneficiaryName,
    beneficiary_account_number: payout.beneficiaryAccountNumberMasked,
    reference_note: payout.referenceId,
    beneficiary_id: payout.beneficiaryId,
    total_cost: wireNumber(payout.sourceAmount),
    amount: {
      source_amount: payout.sourceAmount,
      receiving_amount: payout.receivingAmount,
      source_amount_currency: currencyData(payout.sourceCurrencyCode),
      receiving_amount_currency: currencyData(payout.destinationCurrencyCode),
    },
    created_at: wireTime(payout.createdAt),
    updated_at: wireTime(payout.updatedAt),
  };
}

/** A page of payouts, newest first. */
export function payoutListData(reply: ListPayoutsResponse) {
  return {
    transactions: reply.payouts.map(payoutItem),
    meta_data: pageMetaData(reply),
  };
}
