import type { Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { PayoutDetails } from "../payouts/rules/payout.ts";
import type { Order, OrderFailure, OrderState, OrderTerms } from "./rules/order.ts";

/** An order as it is stored; all work on it goes back to the request that made it. */
export type OrderDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  account_id: string;
  beneficiary_id: string;
  source: string;
  destination: string;
  fixed: OrderTerms["fixed"];
  amount_minor: Decimal128;
  /** Absent where its cost has no bound. */
  max_source_minor?: Decimal128;
  details: Stored<PayoutDetails>;
  allow_duplicate?: true;
  operation_id: string;
  actor: StoredActor;
  /** Bound to its state: a quote, its payout and its failure are written with it. */
  state: OrderState["state"];
  /** The quote that decides on it: only where this is known to be expired is there another. */
  quote?: { id: string; source_minor: Decimal128; receiving_minor: Decimal128 };
  attempt: number;
  payout_id?: string;
  failure?: OrderFailure;
  failure_detail?: string;
  /** Since when it awaits approval, until when, and how often it was held; kept when decided. */
  held?: { at: Date; expires_at: Date; times: number };
  /** The key or member with whose revocation it was held or cancelled last. */
  stopped_for?: string;
  /** The approval while it was held. */
  approval?: OrderDecision;
  /** The rejection, which cancels it. */
  rejection?: OrderDecision & { reason: string };
  /** The event of its last hold, until the bus has confirmed it. */
  event_owed?: string;
  /** When it is to be made; absent of a batch's line. */
  scheduled_at?: Date;
  /** The batch whose line it is, and which one, from 1. */
  batch_id?: string;
  line?: number;
  /** When it is looked at next; absent when there is nothing to do. A lease ends then. */
  due_at?: Date;
  /** Of the worker that looked at it last: an earlier one can give it no quote any more. */
  lease?: string;
  created_at: Date;
  updated_at: Date;
};

type OrderDecision = { at: Date; operation_id: string; actor: StoredActor };

/** Where orders are stored. */
export type Orders = Collection<OrderDocument>;

/** The scheduled payouts. */
export function openScheduledPayouts({ db }: Database): Orders {
  return db.collection<OrderDocument>("scheduled_payouts");
}

/** The lines of batches. */
export function openBatchLines({ db }: Database): Orders {
  return db.collection<OrderDocument>("batch_lines");
}

/** What an order is stored with beside its terms. */
export type NewOrder = {
  readonly id: string;
  readonly merchantId: string;
  readonly operationId: string;
  readonly actor: StoredActor;
  readonly origin: Origin;
  /** Its time, or its place in a batch. */
  readonly place:
    | { readonly scheduledAt: Date }
    | { readonly batchId: string; readonly line: number };
  readonly createdAt: Date;
};

/** A new order as it is stored. */
export function orderDocument(terms: OrderTerms, order: NewOrder): OrderDocument {
  const { maxSource } = terms;
  return {
    _id: order.id,
    schema_version: 1,
    merchant_id: order.merchantId,
    account_id: terms.accountId,
    beneficiary_id: terms.beneficiaryId,
    source: terms.source,
    destination: terms.destination,
    fixed: terms.fixed,
    amount_minor: toDecimal128(terms.amount),
    ...(maxSource !== undefined && { max_source_minor: toDecimal128(maxSource) }),
    details: toStored(terms.details),
    ...(terms.allowDuplicate && { allow_duplicate: true }),
    operation_id: order.operationId,
    actor: order.actor,
    ...order.origin,
    state: "waiting",
    attempt: 1,
    ...("batchId" in order.place
      ? { batch_id: order.place.batchId, line: order.place.line }
      : { scheduled_at: order.place.scheduledAt, due_at: order.place.scheduledAt }),
    created_at: order.createdAt,
    updated_at: order.createdAt,
  };
}

/** A stored order as the rules see it. */
export function toOrder(document: OrderDocument): Order {
  const { quote, max_source_minor: max } = document;
  return {
    ...orderState(document),
    id: document._id,
    merchantId: document.merchant_id,
    terms: {
      accountId: document.account_id,
      beneficiaryId: document.beneficiary_id,
      source: document.source,
      destination: document.destination,
      fixed: document.fixed,
      amount: fromDecimal128(document.amount_minor),
      maxSource: max && fromDecimal128(max),
      details: fromStored<PayoutDetails>(document.details),
      allowDuplicate: document.allow_duplicate === true,
    },
    attempt: document.attempt,
    quote: quote && {
      id: quote.id,
      source: fromDecimal128(quote.source_minor),
      receiving: fromDecimal128(quote.receiving_minor),
    },
  };
}

function orderState(document: OrderDocument): OrderState {
  const { state, payout_id: payoutId, failure, failure_detail: detail } = document;
  switch (state) {
    case "waiting":
    case "awaiting_approval":
    case "cancelled":
      return { state };
    case "executed":
      if (payoutId === undefined) throw new Error("an executed order without its payout");
      return { state, payoutId };
    case "failed":
      if (failure === undefined) throw new Error("a failed order without its failure");
      return { state, failure, ...(detail !== undefined && { detail }) };
  }
}
