import type { Origin } from "@disburse/chassis/call-context.ts";
import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { BatchState, FixedTotal, LineCounts } from "./rules/batch.ts";

type StoredTotal = { currency: string; amount_minor: Decimal128; lines: number };

export type BatchEvent = { id: string; kind: "approval_required" | "finished" };

/** A stored batch. It is stored after all its lines. */
export type BatchDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  reference_id: string;
  account_id: string;
  currency: string;
  line_count: number;
  /** The total of lines with a fixed source amount; absent if there are none. */
  source_total?: StoredTotal;
  receiving_totals: StoredTotal[];
  operation_id: string;
  actor: StoredActor;
  /** Covers the approved content: its account and lines. */
  digest: string;
  /** The merchant's rules at its creation required another actor's decision. */
  by_another?: true;
  state: BatchState;
  /** The approval and its maximum total; absent before. */
  approval?: { at: Date; max_total_minor: Decimal128; operation_id: string; actor: StoredActor };
  /** The rejection, which cancels the batch. */
  rejection?: { at: Date; reason: string; operation_id: string; actor: StoredActor };
  /**
   * The last hold, after its maker or approver lost access. `times` counts the holds. `has_run`:
   * the batch ran before the hold, so some lines may have payouts.
   */
  held?: { at: Date; expires_at: Date; times: number; has_run: boolean };
  /** The revoked key or removed member for which it was last held or cancelled. */
  stopped_for?: string;
  /** The approval of a held batch expired: its lines that have not begun fail. */
  expired_at?: Date;
  /** The lines that have not begun are cancelled. */
  cancelled_at?: Date;
  /** The time when its last lines were started, or when it was approved. */
  moved_at?: Date;
  /** The time of the next check of a running batch. A lease ends then. */
  due_at?: Date;
  lease?: string;
  /** The outcome of the lines of a finished batch. */
  result?: { counts: LineCounts; total_minor: Decimal128 };
  finished_at?: Date;
  /** Events that the bus has not confirmed. */
  pending_events: BatchEvent[];
  created_at: Date;
  updated_at: Date;
};

export type Batches = Collection<BatchDocument>;

export function openBatches({ db }: Database): Batches {
  return db.collection<BatchDocument>("batches");
}

export function storedTotal({ currency, amount, lines }: FixedTotal): StoredTotal {
  return { currency, amount_minor: toDecimal128(amount), lines };
}

export function toTotal({ currency, amount_minor, lines }: StoredTotal): FixedTotal {
  return { currency, amount: fromDecimal128(amount_minor), lines };
}
