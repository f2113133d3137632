import { checkHolding, checkOwner, createAccountCheck, holdOf } from "./account-check.ts";
import { checkAnswer, type NamedRecord, namedBy, type OpenSealed } from "./answer-check.ts";
import { checkBankFile, checkBankPayment } from "./bank-check.ts";
import type { BankPayment, Documents, Payout, RecentEntry, RecordedEntry } from "./documents.ts";
import { keyOf } from "./entry-check.ts";
import { checkDelivery, checkEvent } from "./event-check.ts";
import type { Finding } from "./finding.ts";
import { checkPayout, checkTransfer, type PayoutRelations } from "./payout-check.ts";
import { checkQuote } from "./quote-check.ts";
import { checkReservation } from "./reservation-check.ts";
import { checkWaiting } from "./waiting-check.ts";

export type CheckOptions = {
  /** The current time, which decides whether work is overdue. */
  readonly now: Date;
  /** Decrypts stored answers. If absent, stored answers are not checked. */
  readonly open?: OpenSealed;
};

export type DocumentIndex = ReturnType<typeof indexDocuments>;

/**
 * Checks documents in memory, for example at the end of a simulation. `checkDatabase` applies the
 * same rules to databases in batches.
 */
export function checkDocuments(documents: Documents, options: CheckOptions): Finding[] {
  const index = indexDocuments(documents);
  return [
    ...documents.accounts.flatMap((account) => {
      const own = documents.ledger_entries.filter(({ account_id }) => account_id === account._id);
      const check = createAccountCheck(account);
      for (const entry of own.sort((a, b) => a.sequence - b.sequence)) check.add(entry);
      const found = check.end(options.now);
      return [...found, ...checkHolding(account, check.holding(), index.payouts, index.scheduled)];
    }),
    ...documents.ledger_entries.flatMap((entry) => checkLedgerEntry(entry, index)),
    ...checkBatch(documents, index, options),
  ];
}

/** Checks the owner of a recorded entry. The check of the account covers the entry's chain. */
export function checkLedgerEntry(entry: RecordedEntry, index: DocumentIndex): Finding[] {
  const { account_id, payout_id } = entry;
  const orphan = {
    invariant: 1,
    subject: entry._id,
    detail: "belongs to an account that does not exist",
  } as const;
  const stray = index.accounts.has(account_id) ? [] : [orphan];
  const isPayouts = payout_id !== "";
  return [...stray, ...(isPayouts ? checkOwner(entry, index.payouts.get(payout_id)) : [])];
}

/** Checks each document except accounts and entries against its related documents. */
export function checkBatch(
  batch: Partial<Documents>,
  index: DocumentIndex,
  { now, open }: CheckOptions,
): Finding[] {
  const { payouts = [], waiting_payouts = [], scheduled_payouts = [], quotes = [] } = batch;
  const { sandbox_transfers = [] } = batch;
  const { bank_payments = [], bank_files = [] } = batch;
  const { events = [], deliveries = [], idempotency_keys = [] } = batch;
  return [
    ...payouts.flatMap((payout) => checkPayout(payout, relationsOf(payout, index), now)),
    ...waiting_payouts.flatMap((each) =>
      checkWaiting(each, index.payouts.get(each._id), index.eventsOf.get(each._id) ?? [], now),
    ),
    ...scheduled_payouts.flatMap((order) =>
      checkReservation(order, {
        reserve: index.entries.get(`${order._id}:reserve`),
        unreserve: index.entries.get(`${order._id}:unreserve`),
      }),
    ),
    ...sandbox_transfers.flatMap((each) => checkTransfer(each, index.payouts.get(each._id))),
    ...bank_payments.flatMap((payment) =>
      checkBankPayment(
        payment,
        index.payouts.get(payment._id),
        index.bankFiles.get(payment.file ?? ""),
      ),
    ),
    ...bank_files.flatMap((file) => checkBankFile(file, index.filed.get(file._id) ?? 0)),
    ...quotes.flatMap((quote) =>
      checkQuote(quote, {
        account: index.accounts.get(quote.account_id),
        beneficiary: index.beneficiaries.get(quote.beneficiary.id),
        payout: index.payouts.get(quote.claim?.payout_id ?? ""),
      }),
    ),
    ...events.flatMap((event) => {
      const payout = index.payouts.get(event.transaction_id);
      const { endpoints } = index;
      const own = [...endpoints.values()].filter(
        ({ _id, merchant_id }) =>
          merchant_id === event.merchant_id || event.endpoint_ids.includes(_id),
      );
      const created = index.deliveriesOf.get(event._id) ?? [];
      const named = payout ?? index.waiting.get(event.transaction_id);
      return checkEvent(event, { payout: named, endpoints: own, deliveries: created }, now);
    }),
    ...deliveries.flatMap((delivery) => {
      const event = index.events.get(`${delivery.merchant_id}/${delivery.event_id}`);
      const endpoint = index.endpoints.get(delivery.endpoint_id);
      const health = index.healths.get(delivery.endpoint_id);
      return checkDelivery(delivery, { event, endpoint, health }, now);
    }),
    ...idempotency_keys.flatMap((key) => {
      const named = open === undefined ? undefined : namedBy(key, open);
      const record = typeof named === "object" ? recordOf(index, named) : undefined;
      return checkAnswer(key, named, record);
    }),
  ];
}

/** The answer of an execute names a payout, or one that waits. */
function recordOf(index: DocumentIndex, { collection, id }: NamedRecord) {
  const found = index[collection].get(id);
  return found ?? (collection === "payouts" ? index.waiting.get(id) : undefined);
}

/** Indexes documents by the ids under which other documents name them. */
export function indexDocuments(documents: Partial<Documents>) {
  const { accounts = [], ledger_entries = [], payouts = [], waiting_payouts = [] } = documents;
  const { scheduled_payouts = [] } = documents;
  const { bank_payments = [], bank_files = [] } = documents;
  const { chain_transfers = [], bitcoin_transfers = [], solana_transfers = [] } = documents;
  const { sandbox_transfers = [], quotes = [], beneficiaries = [], screenings = [] } = documents;
  const { endpoints = [], endpoint_health = [], events = [], deliveries = [] } = documents;
  const recent = accounts.flatMap((account) => account.recent);
  const entries: (RecentEntry | RecordedEntry)[] = [...recent, ...ledger_entries];
  return {
    accounts: byId(accounts),
    entries: new Map(entries.map((entry) => [keyOf(entry), entry] as const)),
    payouts: byId(payouts),
    waiting: byId(waiting_payouts),
    scheduled: byId(scheduled_payouts),
    transfers: byId(sandbox_transfers),
    chainTransfers: byId([...chain_transfers, ...bitcoin_transfers, ...solana_transfers]),
    bankPayments: byId(bank_payments),
    bankFiles: byId(bank_files),
    /** Counts the payments that name a file and are in a file. */
    filed: filedIn(bank_payments),
    quotes: byId(quotes),
    beneficiaries: byId(beneficiaries),
    screeningsOf: Map.groupBy(screenings, ({ record_id }) => record_id),
    endpoints: byId(endpoints),
    healths: byId(endpoint_health),
    events: byId(events),
    eventsOf: Map.groupBy(events, ({ transaction_id }) => transaction_id),
    deliveriesOf: Map.groupBy(deliveries, (each) => `${each.merchant_id}/${each.event_id}`),
  };
}

/** Counts, by file, the payments with an identification for answers. */
function filedIn(payments: readonly BankPayment[]): ReadonlyMap<string, number> {
  const filed = new Map<string, number>();
  for (const { file, block, trace } of payments) {
    if (file === undefined || (block ?? trace) === undefined) continue;
    filed.set(file, (filed.get(file) ?? 0) + 1);
  }
  return filed;
}

function byId<T extends { readonly _id: string }>(documents: readonly T[]): Map<string, T> {
  return new Map(documents.map((document) => [document._id, document]));
}

/** Ledger steps of a payout after funding, including the rail's. */
export const payoutSteps = [
  ...(["hold", "post", "release", "return"] as const),
  ...(["rail_hold", "rail_post", "rail_release", "rail_return"] as const),
] as const;

/** Returns the key of a payout's entry. The merchant's account has it under the hold's id. */
export function entryKey(payout: Payout, step: string): string {
  return `${step.startsWith("rail_") ? payout._id : holdOf(payout)}:${step}`;
}

function relationsOf(payout: Payout, index: DocumentIndex): PayoutRelations {
  const entry = (step: string) => [step, index.entries.get(entryKey(payout, step))] as const;
  return {
    account: index.accounts.get(payout.account_id),
    quote: index.quotes.get(payout.order.quote_id),
    beneficiary: index.beneficiaries.get(payout.beneficiary_id),
    screenings: index.screeningsOf.get(payout.beneficiary_id) ?? [],
    transfer: index.transfers.get(payout._id),
    bankPayment: index.bankPayments.get(payout._id),
    chainTransfer: index.chainTransfers.get(payout._id),
    entries: Object.fromEntries(payoutSteps.map(entry)),
    events: index.eventsOf.get(payout._id) ?? [],
  };
}
