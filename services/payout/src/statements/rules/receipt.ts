import { formatAmount } from "@disburse/kernel/money.ts";
import type { LedgerEntry } from "@disburse/ledger/rules/account.ts";
import { visibleFailure } from "../../payouts/rules/failure.ts";
import type { Payout } from "../../payouts/rules/payout.ts";
import { publicStatusOf, visibleReference } from "../../payouts/rules/progress.ts";

/**
 * The prefix of every signed receipt. It ensures that no other text signed with the same key can
 * pass as a receipt.
 */
export const receiptPurpose = "disburse payout receipt 1\n";

/** The form of a receipt that is signed. It has only objects, lists and texts. */
export type ReceiptJson =
  | string
  | readonly ReceiptJson[]
  | { readonly [name: string]: ReceiptJson };

/** Builds a payout's receipt from the payout and its ledger entries. */
export function receiptOf(payout: Payout, entries: readonly LedgerEntry[], issuedAt: Date) {
  const { quote, order, progress } = payout;
  const { beneficiary } = quote;
  const { status, subStatus } = publicStatusOf(progress);
  const { failureCode, returnedReference } = visibleFailure(progress);
  return {
    payout_id: payout.id,
    merchant_id: quote.merchantId,
    account_id: quote.accountId,
    reference_id: order.details.referenceId,
    status,
    sub_status: subStatus,
    source_currency_code: quote.source,
    source_amount: formatAmount(quote.sourceMinor, quote.source),
    total_fees: formatAmount(quote.feesMinor, quote.source),
    exchange_rate: quote.exchangeRate,
    destination_currency_code: quote.destination,
    receiving_amount: formatAmount(quote.receivingMinor, quote.destination),
    beneficiary_id: beneficiary.id,
    beneficiary_name: beneficiary.name,
    ...(beneficiary.nameLatin !== undefined && { beneficiary_name_latin: beneficiary.nameLatin }),
    beneficiary_account_number_masked: beneficiary.accountNumberMasked,
    transfer_method: beneficiary.transferMethod,
    network: beneficiary.network,
    unique_transaction_reference: visibleReference(progress),
    returned_reference: returnedReference,
    failure_code: failureCode,
    ...(quote.reissueOf !== undefined && { reissue_of: quote.reissueOf }),
    ...(payout.reissuedAs !== undefined && { reissued_as: payout.reissuedAs }),
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
    issued_at: issuedAt.toISOString(),
    ledger: entries.map((entry) => ({
      id: entry.key,
      step: entry.step,
      sequence: String(entry.sequence),
      amount: formatAmount(entry.amount, entry.currency),
      created_at: entry.createdAt.toISOString(),
      previous_hash: entry.previousHash,
      hash: entry.hash,
    })),
  };
}

export type Receipt = ReturnType<typeof receiptOf>;

/**
 * Returns canonical JSON (RFC 8785): sorted names, no white space. Supports no values other than
 * texts, lists and objects.
 */
export function canonicalJson(value: ReceiptJson): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const parts = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? "")}`);
  return `{${parts.join(",")}}`;
}

function isList(value: ReceiptJson): value is readonly ReceiptJson[] {
  return Array.isArray(value);
}
