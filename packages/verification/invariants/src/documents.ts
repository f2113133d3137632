/**
 * The services' documents as the checks read them: fields that no check looks at are left out.
 * Written down here a second time on purpose, so that a mistake of a service is not repeated.
 */

/** A whole number of minor units: a database's 128-bit decimal, or anything that prints as one. */
export type Minor = { toString(): string };

/** One side of a ledger entry; `amount` is signed decimal text in major units. */
export type Posting = {
  readonly account: string;
  readonly currency: string;
  readonly amount: string;
};

/** A movement, in the ledger (`_id`) or still in its account (`key`). */
export type Entry = {
  readonly account_id: string;
  readonly merchant_id: string;
  readonly currency: string;
  readonly step: string;
  readonly amount: Minor;
  readonly payout_id: string;
  readonly note: string;
  readonly sequence: number;
  /** After the entry. */
  readonly available: Minor;
  readonly held: Minor;
  readonly postings: readonly Posting[];
  /** The key of the entry that a return or a reversal takes back; else "". */
  readonly reverses: string;
  readonly previous_hash: string;
  readonly hash: string;
  readonly actor?: { readonly kind: string; readonly id: string };
  readonly created_at: Date;
};

/** An entry of a ledger as it is stored. */
export type RecordedEntry = Entry & { readonly _id: string };
/** An entry that its account still carries. */
export type RecentEntry = Entry & { readonly key: string };

/** Of one merchant. */
type Owned = { readonly _id: string; readonly merchant_id: string };

/** An account as it is stored. */
export type Account = Owned & {
  readonly currency: string;
  readonly available: Minor;
  readonly held: Minor;
  readonly counts: Readonly<Record<"initiated" | "succeeded" | "failed", number>>;
  readonly sequence: number;
  /** "" for an account without entries. */
  readonly head_hash: string;
  readonly recorded_sequence: number;
  readonly recent: readonly RecentEntry[];
  readonly open_holds: readonly { readonly payout_id: string; readonly since: Date }[];
  /** Sums of the postings to the house, by `account/currency`, in major units. */
  readonly house: Readonly<Record<string, string>>;
  readonly dirty?: boolean;
};

/** What a payout is made of, as it is stored; a claim encloses it as BSON. */
export type PayoutOrder = {
  readonly merchant_id: string;
  readonly quote_id: string;
  readonly operation_id: string;
  readonly actor: Actor;
  readonly allow_duplicate: boolean;
  readonly scheduled_payout_id?: string;
  readonly batch_id?: string;
  readonly details: {
    readonly reference_id: string;
    readonly remittance_information: string;
    readonly purpose_code: string;
    readonly metadata?: readonly { readonly k: string; readonly v: string }[];
  };
};

/** What a payout takes over from its quote. */
type QuotedTerms = Owned & {
  readonly account_id: string;
  readonly corridor_id: string;
  readonly source: string;
  readonly destination: string;
};

/** A payout as it is stored. */
export type Payout = QuotedTerms & {
  readonly source_minor: Minor;
  readonly fees_minor: Minor;
  readonly receiving_minor: Minor;
  readonly order: PayoutOrder;
  readonly beneficiary_id: string;
  /** Absent where its merchant's rules asked for none. */
  readonly approval?: {
    readonly expires_at: Date;
    readonly decision?: { readonly as: string; readonly at: Date; readonly by?: Actor };
  };
  /** Decimal text. */
  readonly exchange_rate: string;
  readonly status: string;
  readonly progress: {
    readonly stage: string;
    readonly reference?: string;
    /** What is missing of a payment that came back, in the destination's major units. */
    readonly short?: string;
  };
  /** Absent until one is named. */
  readonly rail?: string;
  /** Whether it is paid from its rail's account. */
  readonly funded?: boolean;
  /** Who bears what is missing of a return; absent: the house. */
  readonly return_charges?: string;
  readonly version: number;
  readonly journal: readonly {
    readonly stage: string;
    /** The payout's by then. */
    readonly version: number;
    /** Of an outcome that was reported. */
    readonly operation_id?: string;
  }[];
  readonly work_due_at?: Date;
  /** Of its first submission; absent until then. */
  readonly submitted_at?: Date;
  readonly outbox: readonly { readonly id: string; readonly at: Date }[];
  readonly created_at: Date;
};

/** Who ordered a payout, or decided on it. */
export type Actor = { readonly kind: string; readonly id: string; readonly root?: string };

/** A line in the simulated rail's own book, by the payout's id. */
export type Transfer = {
  readonly _id: string;
  readonly scenario: string;
  readonly reference: string;
  readonly withdrawn_at?: Date;
};

/** A transfer that a rail on a chain has taken, by the payout's id; `chain/` compares it. */
export type TakenByChain = { readonly _id: string };

/** A payment that a rail of a bank has taken, by the payout's id. */
export type BankPayment = {
  readonly _id: string;
  readonly rail: string;
  readonly state: string;
  /** "" of one that was taken back before it came. */
  readonly currency: string;
  readonly amount_minor: Minor;
  /** The file that has it. */
  readonly file?: string;
  /** By what answers name it there, since the file is written. */
  readonly block?: string;
  readonly trace?: string;
  /** Its payout has not asked for the last change yet. */
  readonly owed?: boolean;
};

/** A file to a bank. */
export type BankFile = {
  readonly _id: string;
  readonly state: string;
  readonly members?: readonly { readonly id: string }[];
};

/** A quote as it is stored. */
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

/** A beneficiary as it is stored. */
export type Beneficiary = Owned & {
  readonly screening: { readonly status: string };
  /** Of its last change: it is not older than its screening's result. */
  readonly updated_at: Date;
};

/** A screening as it is stored. */
export type Screening = Owned & {
  readonly record_id: string;
  readonly verdict: string;
  readonly created_at: Date;
};

/** A webhook endpoint as it is stored. */
export type Endpoint = Owned & {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  /** The events that it gets; absent for all. */
  readonly event_types?: readonly string[];
  /** Its events wait; absent or `null` where they do not. */
  readonly paused_at?: Date | null;
  /** `null` where its URL was never verified: its events wait. */
  readonly verified_at?: Date | null;
  /** Its last changes, each with the settings that it replaced. */
  readonly operations?: readonly {
    readonly at: Date;
    readonly before?: { readonly event_types?: readonly string[] };
  }[];
};

/** How an endpoint takes its events; `_id` is the endpoint's. */
export type EndpointHealth = {
  readonly _id: string;
  readonly consecutive_failures: number;
  readonly last_delivered_at: Date | null;
};

/** An event as the notifier stored it; `_id` is `merchant/event`. */
export type StoredEvent = Owned & {
  readonly event_id: string;
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly sequence: number;
  readonly endpoint_ids: readonly string[];
  readonly received_at: Date;
};

/** A webhook delivery as it is stored. */
export type Delivery = Owned & {
  /** Of an event that a merchant of a sandbox made up: there is no document of it. */
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

/** An idempotency key with what became of its request. */
export type IdempotencyKey = Owned & {
  readonly progress: {
    readonly state: string;
    readonly lock_until?: Date;
    readonly sealed_answer?: string;
  };
};

/** Every collection that is looked at, by its name, with its documents. */
export type Documents = {
  readonly accounts: readonly Account[];
  readonly ledger_entries: readonly RecordedEntry[];
  readonly payouts: readonly Payout[];
  readonly sandbox_transfers: readonly Transfer[];
  readonly chain_transfers: readonly TakenByChain[];
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

/** A collection that the checks read. */
export type CollectionName = keyof Documents;

/** Which service's database a collection is in. */
export const serviceOf: Readonly<Record<CollectionName, string>> = {
  accounts: "payout",
  ledger_entries: "payout",
  payouts: "payout",
  sandbox_transfers: "payout",
  chain_transfers: "payout",
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
