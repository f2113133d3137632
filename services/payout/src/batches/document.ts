import type { Origin } from "@disburse/chassis/call-context.ts";
import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Creator } from "@disburse/chassis/rpc/creator.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { BatchState, FixedTotal, LineCounts } from "./rules/batch.ts";

type StoredTotal = { currency: string; amount_minor: Decimal128; lines: number };

export type BatchEvent = { id: string; kind: "approval_required" | "finished" };

/** A stored batch. The lines are stored first, so a stored batch has all its lines. */
export type BatchDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  reference_id: string;
  /** Absent if the merchant gave no name. */
  file_name?: string;
  /** The batch whose failed lines this batch pays again. */
  corrects?: string;
  account_id: string;
  currency: string;
  line_count: number;
  /** The total of lines with a fixed source amount; absent if there are none. */
  source_total?: StoredTotal;
  receiving_totals: StoredTotal[];
  operation_id: string;
  actor: Creator;
  /** A hash of the approved content: the account and the lines. */
  digest: string;
  /** Set if the merchant's rules at the batch's creation required another actor's decision. */
  by_another?: true;
  state: BatchState;
  /** The approval with its maximum total. Absent until the batch is approved. */
  approval?: { at: Date; max_total_minor: Decimal128; operation_id: string; actor: StoredActor };
  /** The rejection, which cancels the batch. */
  rejection?: { at: Date; reason: string; operation_id: string; actor: StoredActor };
  /**
   * The last hold. A batch is held when its maker or approver loses access. `times` counts the
   * holds. `has_run` is true if the batch ran before a hold, so some lines may have payouts.
   */
  held?: { at: Date; expires_at: Date; times: number; has_run: boolean };
  /** The revoked key or removed member that caused the last hold or cancellation. */
  stopped_for?: string;
  /** The time at which the approval of a held batch expired. Lines that have not begun fail. */
  expired_at?: Date;
  /** Set if lines wait for balance. `expires_at` is absent if its maker sent none. */
  queue?: { expires_at?: Date };
  /** Set once a line has waited for balance: the time at which waiting lines fail. */
  balance?: { price_minor: Decimal128; expires_at: Date };
  /** The time at which the wait for balance expired. Lines that have not begun fail. */
  unfunded_at?: Date;
  /** The time of the cancellation. Lines that have not begun are cancelled. */
  cancelled_at?: Date;
  /** The time at which the last lines were started, or at which the batch was approved. */
  moved_at?: Date;
  /**
   * The time of the runner's next check, or of the expiry of a held batch's approval. A lease ends
   * at this time.
   */
  due_at?: Date;
  lease?: string;
  /** The line counts and the total of a finished batch. */
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
