import type { Origin } from "@disburse/chassis/call-context.ts";
import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { BatchState, FixedTotal, LineCounts } from "./rules/batch.ts";

type StoredTotal = { currency: string; amount_minor: Decimal128; lines: number };

/** An event of a batch, by its id. */
export type OwedEvent = { id: string; kind: "approval_required" | "finished" };

/** A batch as it is stored, when all its lines are. */
export type BatchDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  reference_id: string;
  account_id: string;
  currency: string;
  line_count: number;
  /** Of lines that fix what the account pays; absent where none does. */
  source_total?: StoredTotal;
  receiving_totals: StoredTotal[];
  operation_id: string;
  actor: StoredActor;
  /** Over what is approved: its account and lines. */
  digest: string;
  /** Its merchant's rules asked, when it was made, for another actor's decision. */
  by_another?: true;
  state: BatchState;
  /** Who approved it, up to what, as which operation; absent before. */
  approval?: { at: Date; max_total_minor: Decimal128; operation_id: string; actor: StoredActor };
  /** Who rejected it, why and as which operation; then it is cancelled. */
  rejection?: { at: Date; reason: string; operation_id: string; actor: StoredActor };
  /**
   * The last hold: its maker or its approver lost their access. `times` counts the holds. With
   * `has_run` it ran before the hold, so that some lines may have their payouts.
   */
  held?: { at: Date; expires_at: Date; times: number; has_run: boolean };
  /** The key or member with whose revocation it was held or cancelled last. */
  stopped_for?: string;
  /** No one decided in time on a batch that was held: its lines that are not begun fail. */
  expired_at?: Date;
  /** Its lines that are not begun are cancelled. */
  cancelled_at?: Date;
  /** When its last lines were taken on, or it was approved. */
  moved_at?: Date;
  /** When it is looked at next, while it runs. A lease ends then. */
  due_at?: Date;
  lease?: string;
  /** What became of its lines, when it is finished. */
  result?: { counts: LineCounts; total_minor: Decimal128 };
  finished_at?: Date;
  /** Events that the bus has not confirmed. */
  events_owed: OwedEvent[];
  created_at: Date;
  updated_at: Date;
};

/** Where batches are stored. */
export type Batches = Collection<BatchDocument>;

/** The batches. */
export function openBatches({ db }: Database): Batches {
  return db.collection<BatchDocument>("batches");
}

/** A sum as it is stored. */
export function storedTotal({ currency, amount, lines }: FixedTotal): StoredTotal {
  return { currency, amount_minor: toDecimal128(amount), lines };
}

/** A stored sum. */
export function toTotal({ currency, amount_minor, lines }: StoredTotal): FixedTotal {
  return { currency, amount: fromDecimal128(amount_minor), lines };
}
