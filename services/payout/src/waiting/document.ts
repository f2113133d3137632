import { currentOrigin } from "@disburse/chassis/call-context.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { fromStored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { ExecuteRequest } from "../execution/execute.ts";
import { type OrderDocument, orderDocument, type StoredWait } from "../orders/document.ts";
import {
  type ClaimedQuote,
  fixedOf,
  type Payout,
  type PayoutDetails,
  type PayoutOrder,
  payoutFrom,
  payoutIdOf,
} from "../payouts/rules/payout.ts";

export type WaitingDocument = OrderDocument & { balance: StoredWait };

/** What an execute with too little money waits for. */
export type NewWait = {
  readonly quoted: ClaimedQuote;
  readonly maxSource: bigint;
  readonly expiresAt: Date;
};

/** The time after which another process continues what this one began. */
const preparingMs = 10_000;

/** Returns the record of an execute that had too little money. It is bound to the executed quote. */
export function waitingDocument(
  request: ExecuteRequest,
  { quoted, maxSource, expiresAt }: NewWait,
  now: Date,
): WaitingDocument {
  const { merchantId, operationId, actor, details, allowDuplicate } = request;
  const { accountId, source, destination, sourceMinor, receivingMinor } = quoted;
  const parties = { accountId, beneficiaryId: quoted.beneficiary.id, source, destination };
  const terms = { ...parties, ...fixedOf(quoted), maxSource, details, allowDuplicate };
  const order = orderDocument(terms, {
    id: payoutIdOf(request),
    merchantId,
    operationId,
    actor,
    origin: currentOrigin(),
    place: { dueAt: new Date(now.getTime() + preparingMs) },
    createdAt: now,
  });
  return {
    ...order,
    quote: {
      id: quoted.id,
      source_minor: toDecimal128(sourceMinor),
      receiving_minor: toDecimal128(receivingMinor),
    },
    balance: {
      content: request.content,
      expires_at: expiresAt,
      quoted: toStored(quoted),
      reason: "INSUFFICIENT_BALANCE",
      price_minor: toDecimal128(sourceMinor),
      preparing: true,
      pending_versions: [],
    },
  };
}

/** Returns a stored order that waits for balance, or throws for another one. */
export function asWaiting(document: OrderDocument): WaitingDocument {
  const { balance } = document;
  if (balance === undefined) throw new Error("the order does not wait for balance");
  return { ...document, balance };
}

/** Returns the payout as it would be with the first quote, for its messages. */
export function payoutOfWait(document: WaitingDocument): Payout {
  const quoted = fromStored<ClaimedQuote>(document.balance.quoted);
  const order: PayoutOrder = {
    merchantId: document.merchant_id,
    quoteId: quoted.id,
    operationId: document.operation_id,
    content: document.balance.content,
    actor: document.actor,
    details: fromStored<PayoutDetails>(document.details),
    allowDuplicate: document.allow_duplicate === true,
  };
  return { ...payoutFrom(quoted, order), createdAt: document.created_at };
}
