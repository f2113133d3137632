/**
 * The checked fields of the services' documents. Intentionally independent of the services' own
 * types, so that a service's mistake is not repeated.
 */

/** Integer minor units: a 128-bit decimal, or any value that prints as an integer. */
export type Minor = { toString(): string };

/** One side of a ledger entry. `amount` is signed decimal text in major units. */
export type Posting = {
  readonly account: string;
  readonly currency: string;
  readonly amount: string;
};

/** A movement, recorded in the ledger (`_id`) or still in its account (`key`). */
export type Entry = {
  readonly account_id: string;
  readonly merchant_id: string;
  readonly currency: string;
  readonly step: string;
  readonly amount: Minor;
  readonly payout_id: string;
  readonly note: string;
  readonly sequence: number;
  /** Balance after the entry. */
  readonly available: Minor;
  readonly held: Minor;
  readonly postings: readonly Posting[];
  /** Key of the entry that a return or reversal reverses, else empty. */
  readonly reverses: string;
  readonly previous_hash: string;
  readonly hash: string;
  readonly actor?: { readonly kind: string; readonly id: string };
  readonly created_at: Date;
};

export type RecordedEntry = Entry & { readonly _id: string };
export type RecentEntry = Entry & { readonly key: string };

type Owned = { readonly _id: string; readonly merchant_id: string };

export type Account = Owned & {
  readonly currency: string;
  readonly available: Minor;
  readonly held: Minor;
  readonly counts: Readonly<Record<"initiated" | "succeeded" | "failed", number>>;
  readonly sequence: number;
  /** Empty for an account without entries. */
  readonly head_hash: string;
  readonly recorded_sequence: number;
  readonly recent: readonly RecentEntry[];
  readonly open_holds: readonly { readonly payout_id: string; readonly since: Date }[];
  /** Sums of postings to platform accounts, by `account/currency`, in major units. */
  readonly platform: Readonly<Record<string, string>>;
  readonly dirty?: boolean;
  /** The sum of open reservations. Absent before the first one. */
  readonly reserved?: Minor;
  readonly low_balance_threshold?: Minor;
  readonly is_low?: boolean;
};

/** A payout that is created at its time. Only fields about its reservation. */
export type ScheduledPayout = Owned & {
  readonly account_id: string;
  readonly state: string;
  readonly max_source_minor?: Minor;
  /** True if it was ordered with a reservation. */
  readonly reserve?: boolean;
  /** True while money may be reserved for it. */
  readonly reserved?: boolean;
  readonly quote?: object;
};

/** The stored order of a payout. A claim contains it as BSON. */
export type PayoutOrder = {
  readonly merchant_id: string;
  readonly quote_id: string;
  readonly operation_id: string;
  readonly actor: Actor;
  readonly allow_duplicate: boolean;
  readonly scheduled_payout_id?: string;
  readonly batch_id?: string;
  /** Set if the payout waited for balance before this attempt. */
  readonly waited?: { readonly payout_id: string; readonly attempt: number; readonly since: Date };
  readonly details: {
    readonly reference_id: string;
    readonly remittance_information: string;
    readonly purpose_code: string;
    readonly metadata?: readonly { readonly k: string; readonly v: string }[];
  };
};

type QuotedTerms = Owned & {
  readonly account_id: string;
  readonly corridor_id: string;
  readonly source: string;
  readonly destination: string;
};

export type Payout = QuotedTerms & {
  readonly source_minor: Minor;
  readonly fees_minor: Minor;
  readonly receiving_minor: Minor;
  readonly order: PayoutOrder;
  readonly beneficiary_id: string;
  /** Absent if the merchant's rules require no approval. */
  readonly approval?: {
    readonly expires_at: Date;
    readonly decision?: { readonly as: string; readonly at: Date; readonly by?: Actor };
  };
  readonly exchange_rate: string;
  readonly status: string;
  readonly progress: {
    readonly stage: string;
    readonly reference?: string;
    /** The missing part of a returned payment, in the destination's major units. */
    readonly short?: string;
  };
  readonly rail?: string;
  /** True if the payout is paid from the platform account at its rail. */
  readonly funded?: boolean;
  /** The party that bears the difference of a short return. Defaults to the platform. */
  readonly return_charges?: string;
  readonly version: number;
  readonly journal: readonly {
    readonly stage: string;
    /** The payout's version at that time. */
    readonly version: number;
    /** Present for a reported outcome. */
    readonly operation_id?: string;
  }[];
  readonly work_due_at?: Date;
  /** Set at the first submission. */
  readonly submitted_at?: Date;
  readonly outbox: readonly { readonly id: string; readonly at: Date }[];
  readonly created_at: Date;
};

/** A payout that waits, or has waited, for its account's balance. */
export type Waiting = Owned & {
  readonly account_id: string;
  readonly state: string;
  readonly attempt: number;
  readonly quote?: { readonly id: string };
  readonly payout_id?: string;
  readonly max_source_minor: Minor;
  readonly due_at?: Date;
  readonly balance: {
    readonly expires_at: Date;
    readonly preparing?: boolean;
    readonly pending_versions: readonly number[];
  };
};

export type Actor = { readonly kind: string; readonly id: string; readonly root?: string };

export type Transfer = {
  readonly _id: string;
  readonly scenario: string;
  readonly reference: string;
  readonly withdrawn_at?: Date;
};

/** A transfer accepted by a chain rail, by the payout's id. `chain/` compares it. */
export type TakenByChain = { readonly _id: string };

export type BankPayment = {
  readonly _id: string;
  readonly rail: string;
  readonly state: string;
  /** Empty if the payment was withdrawn before it arrived at the rail. */
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly file?: string;
  /** Set when the file is written. The bank's answers refer to it. */
  readonly block?: string;
  readonly trace?: string;
  /** True if the payout has not read the last change yet. */
  readonly report_pending?: boolean;
};

export type BankFile = {
  readonly _id: string;
  readonly state: string;
  readonly members?: readonly { readonly id: string }[];
};

export type Quote = QuotedTerms & {
  readonly amounts: Readonly<Record<"source" | "fees" | "converted" | "receiving", Minor>>;
  readonly rate: string;
  readonly beneficiary: { readonly id: string };
  readonly state: string;
  readonly claim?: {
    readonly payout_id: string;
    readonly order: { readonly buffer: Uint8Array };
    readonly operation_id: string;
    readonly claimed_at: Date;
  };
  readonly expires_at: Date;
};

export type Beneficiary = Owned & {
  readonly screening: { readonly status: string };
  /** Time of the last change, not before its screening's result. */
  readonly updated_at: Date;
};

export type Screening = Owned & {
  readonly record_id: string;
  readonly verdict: string;
  readonly created_at: Date;
};

export type Endpoint = Owned & {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  /** Subscribed events. Absent for all. */
  readonly event_types?: readonly string[];
  readonly paused_at?: Date | null;
  /** `null` until the endpoint's URL is verified. Until then its events wait. */
  readonly verified_at?: Date | null;
  /** Recent changes, each with the previous settings. */
  readonly operations?: readonly {
    readonly at: Date;
    readonly before?: { readonly event_types?: readonly string[] };
  }[];
};

export type EndpointHealth = {
  readonly _id: string;
  readonly consecutive_failures: number;
  readonly last_delivered_at: Date | null;
};

/** An event stored by the notifier. `_id` is `merchant/event`. */
export type StoredEvent = Owned & {
  readonly event_id: string;
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly sequence: number;
  readonly endpoint_ids: readonly string[];
  readonly received_at: Date;
};

export type Delivery = Owned & {
  /** True for a sandbox merchant's test event. Such an event has no document. */
  readonly test?: true;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly transaction_id: string;
  /** 0 for the first delivery of an event to an endpoint. */
  readonly replay: number;
  readonly state: string;
  readonly attempts_count: number;
  readonly attempts: readonly { readonly status_code: number }[];
  readonly due_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export type IdempotencyKey = Owned & {
  readonly progress: {
    readonly state: string;
    readonly lock_until?: Date;
    readonly sealed_answer?: string;
  };
};

export type Documents = {
  readonly accounts: readonly Account[];
  readonly ledger_entries: readonly RecordedEntry[];
  readonly payouts: readonly Payout[];
  readonly waiting_payouts: readonly Waiting[];
  readonly scheduled_payouts: readonly ScheduledPayout[];
  readonly sandbox_transfers: readonly Transfer[];
  readonly chain_transfers: readonly TakenByChain[];
  readonly bitcoin_transfers: readonly TakenByChain[];
  readonly solana_transfers: readonly TakenByChain[];
  readonly bank_payments: readonly BankPayment[];
  readonly bank_files: readonly BankFile[];
  readonly quotes: readonly Quote[];
  readonly beneficiaries: readonly Beneficiary[];
  readonly screenings: readonly Screening[];
  readonly endpoints: readonly Endpoint[];
  readonly endpoint_health: readonly EndpointHealth[];
  readonly events: readonly StoredEvent[];
  readonly deliveries: readonly Delivery[];
  readonly idempotency_keys: readonly IdempotencyKey[];
};

export type CollectionName = keyof Documents;

export const serviceOf: Readonly<Record<CollectionName, string>> = {
  accounts: "payout",
  ledger_entries: "payout",
  payouts: "payout",
  waiting_payouts: "payout",
  scheduled_payouts: "payout",
  sandbox_transfers: "payout",
  chain_transfers: "payout",
  bitcoin_transfers: "payout",
  solana_transfers: "payout",
  bank_payments: "payout",
  bank_files: "payout",
  quotes: "quote",
  beneficiaries: "beneficiary",
  screenings: "compliance",
  endpoints: "notifier",
  endpoint_health: "notifier",
  events: "notifier",
  deliveries: "notifier",
  idempotency_keys: "gateway",
};
