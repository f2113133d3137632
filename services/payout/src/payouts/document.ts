import type { Origin } from "@disburse/chassis/call-context.ts";
import { contentHash } from "@disburse/chassis/mongo/content-hash.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import { approvalEvent, type PendingEvent, pendingEvent } from "./pending-event.ts";
import type { Approval } from "./rules/approval.ts";
import type { Uncleared } from "./rules/clearance.ts";
import type { PayoutException } from "./rules/exception.ts";
import type { Payout, PayoutOrder, Reissue } from "./rules/payout.ts";
import { type PayoutStatus, type Progress, publicStatusOf } from "./rules/progress.ts";
import type { TimelineStep } from "./rules/timeline.ts";

/** An event that was published. It is kept as long as the payout. */
export type PublishedEvent = Omit<PendingEvent, "at">;

/**
 * A step in the payout's history. The write that changes the state also adds the step. Steps are
 * never removed.
 */
export type StoredStep = TimelineStep & {
  /** A text for operators, for example `rail reported accepted` or `post applied`. */
  detail: string;
  /** The actor that reported or decided an outcome, and its operation or resolution. */
  actor?: StoredActor;
  operation_id?: string;
};

/**
 * A message between the payout's worker and its rail. `submit` is a submission and `answer` the
 * rail's response. `callback` is a report from the rail. `leased` marks the start of a worker's
 * lease: for a submitted payout, the worker then polls the rail.
 */
export type StoredCall = {
  kind: "leased" | "submit" | "answer" | "callback";
  at: Date;
  said?: string;
  actor?: StoredActor;
  operation_id?: string;
};

/** The exclusive right of a worker in the process `place` to work on the payout. */
export type Lease = { token: string; until: Date; place: string };

/**
 * A stored order to pay a quote. It has the id of its future payout, and creating the payout
 * completes the same document. A refused order is removed, or replaced by the next one.
 */
export type OrderDocument = Origin & {
  _id: string;
  schema_version: number;
  order: Stored<PayoutOrder>;
  /**
   * All operations that ordered the quote's payout. While an operation is in this list, it can't be
   * used for another quote or request.
   */
  operations: BoundOperation[];
  /**
   * The token of the only attempt that relies on this order. That attempt may remove the order.
   * Absent once another attempt relies on it.
   */
  only_try?: string;
};

export type BoundOperation = { id: string; content: string };

/** Matches created payouts. An order without a payout has no status. */
export const isCreated = { status: { $exists: true } } as const;

/**
 * Returns the document if its payout exists. The query can't filter, because reads by id are
 * grouped into batches.
 */
export function ifCreated(found: PayoutDocument | null): PayoutDocument | undefined {
  return found !== null && Object.hasOwn(found, "status") ? found : undefined;
}

/** A stored payout. Its later work is traced to the request that created it. */
export type PayoutDocument = OrderDocument & {
  merchant_id: string;
  account_id: string;
  corridor_id: string;
  beneficiary_id: string;
  /**
   * Keyed hashes of the paid account or wallet. Velocity limits use them to count payouts to it.
   */
  destination_keys: readonly string[];
  /** Absent if the payout has no reference. */
  duplicate_keys?: readonly string[];
  source: string;
  destination: string;
  source_minor: Decimal128;
  fees_minor: Decimal128;
  receiving_minor: Decimal128;
  /** Set if the merchant requested the receiving amount. */
  receiving_fixed?: true;
  exchange_rate: string;
  /** The party that bears the bank charges of a return. If absent, the platform bears them. */
  return_charges?: "merchant";
  beneficiary_name: string;
  /** The name in Latin letters, as sent to the bank. Absent if the merchant gave none. */
  beneficiary_name_latin?: string;
  account_number_masked: string;
  transfer_method: string;
  network: string;
  status: PayoutStatus;
  progress: Progress;
  version: number;
  revision: number;
  /**
   * The rail's name. Set by the submission or, before it, when money is held in the rail's account.
   * Absent until then.
   */
  rail?: string;
  /** Set if the rail's account funds the payout. */
  funded?: true;
  submitted_at?: Date;
  /** The time by which the rail expects to have paid. Absent if the rail gives none. */
  expected_at?: Date;
  exception?: PayoutException;
  /**
   * The status of a beneficiary that is not cleared. Absent if the last check found the beneficiary
   * cleared.
   */
  uncleared?: Uncleared;
  /** The approval that the merchant's rules required. Absent if they required none. */
  approval?: Stored<Approval>;
  /** The payout that this one reissues. */
  reissue_of?: string;
  /** The quote of this payout's reissue. It is bound before it is executed. */
  reissue?: Stored<Reissue>;
  /**
   * The payout that reissues this one. Set after the claim of its quote and before that payout is
   * stored.
   */
  reissued_as?: string;
  /** The effect of each resolution. The same write applies and records it. */
  resolutions?: { id: string; effect: "applied" | "superseded" }[];
  journal: StoredStep[];
  /** The latest calls only (`keep` limits their number). */
  calls: StoredCall[];
  /** The time of the next work. Absent when no work is left. */
  work_due_at?: Date;
  lease?: Lease;
  outbox: PendingEvent[];
  /** Absent before the first published event. */
  published_events?: PublishedEvent[];
  /** The time of the last published event. Absent before the first one. */
  published_at?: Date;
  created_at: Date;
  /** Set if the payout waited for its merchant's balance: the time at which that was there. */
  funded_at?: Date;
  updated_at: Date;
  /** The hash of the fields in `hashedFields`. */
  content_hash: string;
};

type PayoutFields = Omit<PayoutDocument, "content_hash">;

const hashedFields = [
  "_id",
  "merchant_id",
  "account_id",
  "corridor_id",
  "beneficiary_id",
  "order",
  "source",
  "destination",
  "source_minor",
  "fees_minor",
  "receiving_minor",
  "receiving_fixed",
  "exchange_rate",
  "return_charges",
  "reissue_of",
  "beneficiary_name",
  "beneficiary_name_latin",
  "account_number_masked",
  "transfer_method",
  "network",
  "created_at",
] as const satisfies readonly (keyof PayoutFields)[];

export type Payouts = Collection<PayoutDocument>;

/**
 * Returns a new payout's document with its first event. `lease` is set if this process submits the
 * payout at once.
 */
export function payoutDocument(payout: Payout, origin: Origin, lease?: Lease): PayoutDocument {
  const fields = payoutFields(payout, origin, lease);
  const content_hash = contentHash<PayoutFields>("disburse payout 1", hashedFields, fields);
  return { ...fields, content_hash };
}

function payoutFields(payout: Payout, origin: Origin, lease?: Lease): PayoutFields {
  const { quote, createdAt, fundedAt = createdAt } = payout;
  const { status } = publicStatusOf(payout.progress);
  const event = pendingEvent(payout);
  const { approval } = payout;
  const needs = approval === undefined ? "" : `; needs approval: ${approval.reasons.join(", ")}`;
  const given = approval?.decision === undefined ? "" : "; given with its batch";
  const isWaiting = payout.progress.stage === "awaiting_approval";
  return {
    _id: payout.id,
    schema_version: 1,
    merchant_id: quote.merchantId,
    account_id: quote.accountId,
    corridor_id: quote.corridorId,
    beneficiary_id: quote.beneficiary.id,
    order: toStored(payout.order),
    operations: [boundOperation(payout.order)],
    destination_keys: quote.destinationKeys,
    ...(quote.duplicateKeys.length > 0 && { duplicate_keys: quote.duplicateKeys }),
    ...origin,
    source: quote.source,
    destination: quote.destination,
    source_minor: toDecimal128(quote.sourceMinor),
    fees_minor: toDecimal128(quote.feesMinor),
    receiving_minor: toDecimal128(quote.receivingMinor),
    ...(quote.isReceivingFixed && { receiving_fixed: true }),
    exchange_rate: quote.exchangeRate,
    ...(quote.returnCharges === "merchant" && { return_charges: quote.returnCharges }),
    ...(quote.reissueOf !== undefined && { reissue_of: quote.reissueOf }),
    beneficiary_name: quote.beneficiary.name,
    ...(quote.beneficiary.nameLatin !== undefined && {
      beneficiary_name_latin: quote.beneficiary.nameLatin,
    }),
    account_number_masked: quote.beneficiary.accountNumberMasked,
    transfer_method: quote.beneficiary.transferMethod,
    network: quote.beneficiary.network,
    status,
    progress: payout.progress,
    version: payout.version,
    revision: payout.revision,
    journal: [
      {
        stage: payout.progress.stage,
        version: payout.version,
        at: fundedAt,
        cause: "executed",
        detail: `executed${needs}${given}`,
      },
    ],
    calls: [],
    ...(approval && { approval: toStored(approval) }),
    work_due_at: (isWaiting ? approval?.expiresAt : undefined) ?? fundedAt,
    ...(lease && { lease }),
    outbox: [event, ...(isWaiting && approval ? [approvalEvent(payout, approval)] : [])],
    created_at: createdAt,
    ...(payout.fundedAt && { funded_at: payout.fundedAt }),
    updated_at: payout.updatedAt,
  };
}

export function boundOperation({
  merchantId,
  operationId,
  content,
}: Pick<PayoutOrder, "merchantId" | "operationId" | "content">): BoundOperation {
  return { id: `${merchantId}:${operationId}`, content };
}

/**
 * The projection for `toPayout`. It leaves out the history, which is most of a payout's document.
 */
export const stateFields = {
  order: 1,
  merchant_id: 1,
  account_id: 1,
  corridor_id: 1,
  beneficiary_id: 1,
  destination_keys: 1,
  duplicate_keys: 1,
  source: 1,
  destination: 1,
  source_minor: 1,
  fees_minor: 1,
  receiving_minor: 1,
  receiving_fixed: 1,
  exchange_rate: 1,
  return_charges: 1,
  beneficiary_name: 1,
  beneficiary_name_latin: 1,
  account_number_masked: 1,
  transfer_method: 1,
  network: 1,
  progress: 1,
  version: 1,
  revision: 1,
  rail: 1,
  funded: 1,
  submitted_at: 1,
  expected_at: 1,
  exception: 1,
  uncleared: 1,
  approval: 1,
  reissue_of: 1,
  reissue: 1,
  reissued_as: 1,
  created_at: 1,
  funded_at: 1,
  updated_at: 1,
} as const satisfies Partial<Record<keyof PayoutDocument, 1>>;

export function toPayout(document: Pick<PayoutDocument, "_id" | keyof typeof stateFields>): Payout {
  const order = fromStored<PayoutOrder>(document.order);
  return {
    id: document._id,
    quote: {
      id: order.quoteId,
      merchantId: document.merchant_id,
      accountId: document.account_id,
      corridorId: document.corridor_id,
      source: document.source,
      destination: document.destination,
      sourceMinor: fromDecimal128(document.source_minor),
      feesMinor: fromDecimal128(document.fees_minor),
      receivingMinor: fromDecimal128(document.receiving_minor),
      isReceivingFixed: document.receiving_fixed === true,
      exchangeRate: document.exchange_rate,
      returnCharges: document.return_charges ?? "platform",
      reissueOf: document.reissue_of,
      destinationKeys: document.destination_keys,
      duplicateKeys: document.duplicate_keys ?? [],
      beneficiary: {
        id: document.beneficiary_id,
        name: document.beneficiary_name,
        ...(document.beneficiary_name_latin !== undefined && {
          nameLatin: document.beneficiary_name_latin,
        }),
        accountNumberMasked: document.account_number_masked,
        transferMethod: document.transfer_method,
        network: document.network,
      },
      claimedAt: document.funded_at ?? document.created_at,
    },
    order,
    progress: document.progress,
    version: document.version,
    revision: document.revision,
    rail: document.rail ?? "",
    isFunded: document.funded === true,
    submittedAt: document.submitted_at,
    expectedAt: document.expected_at,
    exception: document.exception,
    uncleared: document.uncleared,
    approval: document.approval && fromStored<Approval>(document.approval),
    reissue: document.reissue && fromStored<Reissue>(document.reissue),
    reissuedAs: document.reissued_as,
    createdAt: document.created_at,
    fundedAt: document.funded_at,
    updatedAt: document.updated_at,
  };
}
