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

/** A published event; kept as long as the payout. */
export type PublishedEvent = Omit<PendingEvent, "at">;

/** A step of the payout: written with its change of state, and never dropped. */
export type StoredStep = TimelineStep & {
  /** For operators: `rail said accepted`, `post applied`. */
  detail: string;
  /** Who reported or decided an outcome, and as which operation or resolution. */
  actor?: StoredActor;
  operation_id?: string;
};

/**
 * A message between the payout's worker and its rail. `leased` precedes every poll: a worker polls
 * the rail of a payout that was submitted. `submit` precedes a submission; `answer` follows either,
 * with the response; `callback` is a report of the rail's own, with its result.
 */
export type StoredCall = {
  kind: "leased" | "submit" | "answer" | "callback";
  at: Date;
  said?: string;
  actor?: StoredActor;
  operation_id?: string;
};

/** The right of one worker, at `place`, to work on the payout. */
export type Lease = { token: string; until: Date; place: string };

/**
 * An order as it is stored under the id of its payout, until that is made of it: then the document
 * becomes the payout's. A refused order is removed, or replaced by the next one.
 */
export type OrderDocument = Origin & {
  _id: string;
  schema_version: number;
  order: Stored<PayoutOrder>;
  /** Every operation that ordered it: while it is listed, it belongs to one quote and content. */
  operations: BoundOperation[];
  /** The token of the try that may remove this order, until another try relies on the order. */
  only_try?: string;
};

/** `id` is `<merchant id>:<operation id>`. */
export type BoundOperation = { id: string; content: string };

/** What the payouts of a collection have, and orders have not. */
export const isCreated = { status: { $exists: true } } as const;

/** What was read by its id alone, unless it is an order still: such reads go out in batches. */
export function ifCreated(found: PayoutDocument | null): PayoutDocument | undefined {
  return found !== null && Object.hasOwn(found, "status") ? found : undefined;
}

/** A payout as it is stored; all later work on it goes back to the request that made it. */
export type PayoutDocument = OrderDocument & {
  merchant_id: string;
  account_id: string;
  corridor_id: string;
  beneficiary_id: string;
  /** Keyed hashes of the account or wallet that is paid. Velocity limits count by them. */
  destination_keys: readonly string[];
  /** Absent where it has no reference. */
  duplicate_keys?: readonly string[];
  source: string;
  destination: string;
  source_minor: Decimal128;
  fees_minor: Decimal128;
  receiving_minor: Decimal128;
  exchange_rate: string;
  /** Who bears what banks keep of a return; absent: the house. */
  return_charges?: "merchant";
  beneficiary_name: string;
  /** In Latin letters, as the bank gets it; absent where its merchant gave none. */
  beneficiary_name_latin?: string;
  account_number_masked: string;
  transfer_method: string;
  network: string;
  status: PayoutStatus;
  progress: Progress;
  version: number;
  revision: number;
  /** Absent until it is named: by its submission, or before, where it is paid from an account. */
  rail?: string;
  /** Set with the rail's name where the payout is paid from its rail's account. */
  funded?: true;
  submitted_at?: Date;
  /** Absent where its rail did not say when it will have paid it. */
  expected_at?: Date;
  /** The open exception. */
  doubt?: PayoutException;
  /** Absent where its beneficiary was cleared at the last check. */
  uncleared?: Uncleared;
  /** Absent where its merchant's rules asked for none. */
  approval?: Stored<Approval>;
  /** The payout that this one pays again; absent for none. */
  reissue_of?: string;
  /** The quote that pays it again, bound before that is executed; absent until one asked. */
  reissue?: Stored<Reissue>;
  /** The payout of that quote, set after its claim and before it is stored. */
  reissued_as?: string;
  /** The effect of each resolution, written with what it does. */
  resolutions?: { id: string; fate: "applied" | "superseded" }[];
  journal: StoredStep[];
  /** The last of them. */
  calls: StoredCall[];
  /** Absent when there is nothing to do. */
  work_due_at?: Date;
  lease?: Lease;
  outbox: PendingEvent[];
  /** Absent before the first. */
  told?: PublishedEvent[];
  /** When its last event was published; absent like `told`. */
  published_at?: Date;
  created_at: Date;
  updated_at: Date;
  /** Over `hashedFields`. */
  content_hash: string;
};

type PayoutFields = Omit<PayoutDocument, "content_hash">;

/** Fields that no write changes. */
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

/** Where payouts are stored. */
export type Payouts = Collection<PayoutDocument>;

/** A new payout as it is stored, with its first event, and leased where it is worked on at once. */
export function payoutDocument(payout: Payout, origin: Origin, lease?: Lease): PayoutDocument {
  const fields = payoutFields(payout, origin, lease);
  const content_hash = contentHash<PayoutFields>("disburse payout 1", hashedFields, fields);
  return { ...fields, content_hash };
}

function payoutFields(payout: Payout, origin: Origin, lease?: Lease): PayoutFields {
  const { quote, createdAt } = payout;
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
        at: createdAt,
        cause: "executed",
        detail: `executed${needs}${given}`,
      },
    ],
    calls: [],
    ...(approval && { approval: toStored(approval) }),
    work_due_at: (isWaiting ? approval?.expiresAt : undefined) ?? createdAt,
    ...(lease && { lease }),
    outbox: [event, ...(isWaiting && approval ? [approvalEvent(payout, approval)] : [])],
    created_at: createdAt,
    updated_at: payout.updatedAt,
  };
}

/** The operation of an order, as it is bound. */
export function boundOperation({
  merchantId,
  operationId,
  content,
}: Pick<PayoutOrder, "merchantId" | "operationId" | "content">): BoundOperation {
  return { id: `${merchantId}:${operationId}`, content };
}

/** What `toPayout` reads, as a projection: most of a payout's document is its history. */
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
  doubt: 1,
  uncleared: 1,
  approval: 1,
  reissue_of: 1,
  reissue: 1,
  reissued_as: 1,
  created_at: 1,
  updated_at: 1,
} as const satisfies Partial<Record<keyof PayoutDocument, 1>>;

/** A stored payout as the rules see it. */
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
      exchangeRate: document.exchange_rate,
      returnCharges: document.return_charges ?? "house",
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
      claimedAt: document.created_at,
    },
    order,
    progress: document.progress,
    version: document.version,
    revision: document.revision,
    rail: document.rail ?? "",
    isFunded: document.funded === true,
    submittedAt: document.submitted_at,
    expectedAt: document.expected_at,
    exception: document.doubt,
    uncleared: document.uncleared,
    approval: document.approval && fromStored<Approval>(document.approval),
    reissue: document.reissue && fromStored<Reissue>(document.reissue),
    reissuedAs: document.reissued_as,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}
