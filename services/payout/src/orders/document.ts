import { createHash } from "node:crypto";
import type { Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Creator } from "@disburse/chassis/rpc/creator.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { ClaimedQuote, PayoutDetails } from "../payouts/rules/payout.ts";
import {
  type Order,
  type OrderFailure,
  type OrderState,
  type OrderTerms,
  termsContent,
  type WaitReason,
} from "./rules/order.ts";

/**
 * A stored scheduled payout or batch line. Its later work is traced to the request that created it.
 */
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
  /** Absent if the order has no maximum cost. */
  max_source_minor?: Decimal128;
  details: Stored<PayoutDetails>;
  allow_duplicate?: true;
  /** True if the maximum was reserved from the start. */
  reserve?: true;
  /** Set while money may be reserved for the order. */
  reserved?: true;
  operation_id: string;
  actor: Creator;
  /** One write sets the state together with its payout or failure. */
  state: OrderState["state"];
  /**
   * The quote that decides whether the order gets a payout. It is replaced only after it has
   * expired permanently.
   */
  quote?: { id: string; source_minor: Decimal128; receiving_minor: Decimal128 };
  attempt: number;
  payout_id?: string;
  failure?: OrderFailure;
  failure_detail?: string;
  /** The last hold; `times` counts the holds. It stays after a decision. */
  held?: { at: Date; expires_at: Date; times: number };
  /** The revoked key or removed member that caused the last hold or cancellation. */
  stopped_for?: string;
  /** The approval of the held order. */
  approval?: OrderDecision;
  /** The rejection, which cancels the order. */
  rejection?: OrderDecision & { reason: string };
  /** The event of the order's last hold. Removed when the bus has confirmed the event. */
  pending_event?: string;
  /** The time of execution; only of a scheduled payout. */
  scheduled_at?: Date;
  /** The line's batch, and its number from 1. */
  batch_id?: string;
  line?: number;
  /** The latest line of another batch that pays this failed line again. */
  corrected_by?: string;
  /**
   * The first failed line that this line pays again, also if others have tried before. Only the
   * `corrected_by` of that line decides which one may pay.
   */
  corrects?: string;
  /** Only of a payout that waits for its account's balance. */
  balance?: StoredWait;
  /** The time of its last published event; only of a payout that waits for balance. */
  published_at?: Date;
  /** The time of the next check. A lease ends at this time. Absent when no work is left. */
  due_at?: Date;
  /** The lease of the last worker. A worker with an earlier lease can't bind a quote any more. */
  lease?: string;
  created_at: Date;
  updated_at: Date;
};

/** The wait of an executed payout for its account's balance. */
export type StoredWait = {
  /** The digest of the executing request (`PayoutOrder.content`). */
  content: string;
  expires_at: Date;
  /** Set by a lease: whether the payout had expired by the database's clock. */
  has_expired?: boolean;
  /** The quote that was executed first, for the payout's messages. */
  quoted: Stored<ClaimedQuote>;
  reason: WaitReason;
  /** The last price. The payout is quoted again when the account has as much. */
  price_minor: Decimal128;
  /** Present until the executed quote has ended. Nobody sees the payout before. */
  preparing?: true;
  /**
   * Set while lists show the payout: from the end of the executed quote until it is paid. It is then
   * shown as a payout. Only the indexes of lists contain it.
   */
  listed?: true;
  /** Set while the payout waits for balance. The oldest of an account comes first. */
  in_line?: true;
  /** The versions whose events the bus has not confirmed. */
  pending_versions: number[];
};

type OrderDecision = { at: Date; operation_id: string; actor: StoredActor };

export type Orders = Collection<OrderDocument>;

export function openScheduledPayouts({ db }: Database): Orders {
  return db.collection<OrderDocument>("scheduled_payouts");
}

export function openWaitingPayouts({ db }: Database): Orders {
  return db.collection<OrderDocument>("waiting_payouts");
}

export function openBatchLines({ db }: Database): Orders {
  return db.collection<OrderDocument>("batch_lines");
}

export type NewOrder = {
  readonly id: string;
  readonly merchantId: string;
  readonly operationId: string;
  readonly actor: Creator;
  readonly origin: Origin;
  /**
   * The time of a scheduled payout, the position of a line in its batch, or the next check of a
   * payout that waits for balance.
   */
  readonly place:
    | { readonly scheduledAt: Date; readonly reserve: boolean }
    | { readonly dueAt: Date }
    | { readonly batchId: string; readonly line: number; readonly corrects?: string };
  readonly createdAt: Date;
};

export function orderDocument(terms: OrderTerms, order: NewOrder): OrderDocument {
  const { maxSource } = terms;
  const reserves = "reserve" in order.place && order.place.reserve;
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
    ...(reserves && { reserve: true, reserved: true }),
    // Nothing pays the order until its money is reserved.
    state: reserves ? "reserving" : "waiting",
    attempt: 1,
    ...placeFields(order.place),
    created_at: order.createdAt,
    updated_at: order.createdAt,
  };
}

function placeFields(place: NewOrder["place"]) {
  if ("batchId" in place) {
    const { batchId: batch_id, line, corrects } = place;
    return { batch_id, line, ...(corrects !== undefined && { corrects }) };
  }
  if ("dueAt" in place) return { due_at: place.dueAt };
  const { scheduledAt: scheduled_at, reserve } = place;
  return reserve ? { scheduled_at } : { scheduled_at, due_at: scheduled_at };
}

export function toOrder(document: OrderDocument): Order {
  const { quote, max_source_minor: max, balance } = document;
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
    ...(balance && {
      wait: {
        since: document.created_at,
        expiresAt: balance.expires_at,
        hasExpired: balance.has_expired === true,
        isPreparing: balance.preparing === true,
        reason: balance.reason,
      },
    }),
  };
}

/**
 * Hashes what is approved of a held order: its terms, and the time at which a scheduled payout is
 * due or a wait for balance ends. SHA-256 in hexadecimal.
 */
export function approvalDigest(document: OrderDocument): string {
  const { id, merchantId, terms } = toOrder(document);
  const at = document.scheduled_at ?? document.balance?.expires_at;
  if (at === undefined) throw new Error("only a batch approves its lines");
  const content = ["1", id, merchantId, ...termsContent(terms), at.toISOString()];
  const text = JSON.stringify([...content, document.reserve === true].map(String));
  return createHash("sha256").update(text).digest("hex");
}

function orderState(document: OrderDocument): OrderState {
  const { state, payout_id: payoutId, failure, failure_detail: detail } = document;
  switch (state) {
    case "reserving":
    case "waiting":
    case "awaiting_approval":
    case "cancelled":
      return { state };
    case "executed":
      if (payoutId === undefined) throw new Error("an executed order has no payout id");
      return { state, payoutId };
    case "failed":
      if (failure === undefined) throw new Error("a failed order has no failure code");
      return { state, failure, ...(detail !== undefined && { detail }) };
  }
}
