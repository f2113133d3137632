import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { PayoutControls } from "../controls/store.ts";
import type { Orders } from "../orders/document.ts";
import {
  approvalExpired,
  type GivenApproval,
  isSameActor,
  otherDigest,
} from "../payouts/rules/approval.ts";
import { type BatchDocument, type Batches, toTotal } from "./document.ts";
import { approvable, decidable } from "./rules/batch.ts";
import { approve, endLines, reject } from "./store.ts";

export type DecideDeps = {
  readonly batches: Batches;
  readonly lines: Orders;
  readonly controls: Pick<PayoutControls, "of">;
  /** Makes the runner poll for approved batches at once. */
  readonly wakeRunner: () => void;
};

type Decided =
  | BatchDocument
  | Refused<
      "NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN" | "STATE_NOT_REACHABLE" | "INVALID_REQUEST"
    >;

const expired = approvalExpired("batch");

/** Approves a batch up to a maximum total. A repeat of the operation returns the first result. */
export async function approveBatch(
  deps: DecideDeps,
  batch: BatchDocument,
  limits: { readonly maxTotal: bigint; readonly digest: string },
  by: Change,
): Promise<Decided> {
  if (batch.approval?.operation_id === by.operationId) return batch;
  const may = mayDecide(deps, batch, by);
  if (isRefused(may)) return may;
  const other = otherDigest("batch", batch.digest, limits.digest);
  if (other !== undefined) return other;
  const fixed = batch.source_total && toTotal(batch.source_total);
  const enough = approvable(limits.maxTotal, fixed);
  if (isRefused(enough)) return enough;
  if (await approve(deps.batches, batch, limits.maxTotal, by)) deps.wakeRunner();
  const now = await found(deps, batch);
  return now.approval?.operation_id === by.operationId ? now : mayDecideNow(deps, batch, now, by);
}

/**
 * Cancels a batch and its lines, and stores the reason. After a crash, a repeated call completes
 * the cancellation.
 */
export async function rejectBatch(
  deps: DecideDeps,
  batch: BatchDocument,
  reason: string,
  by: Change,
): Promise<Decided> {
  if (batch.rejection?.operation_id !== by.operationId) {
    const may = mayDecide(deps, batch, by);
    if (isRefused(may)) return may;
    await reject(deps.batches, batch._id, reason, by);
  }
  const now = await found(deps, batch);
  if (now.rejection?.operation_id !== by.operationId) return mayDecideNow(deps, batch, now, by);
  await endLines(deps.lines, batch._id, { state: "cancelled" });
  deps.wakeRunner();
  return now;
}

/** Checks both the merchant's rules at the batch's creation and the current rules. */
function mayDecide({ controls }: Pick<DecideDeps, "controls">, batch: BatchDocument, by: Change) {
  const isRule = controls.of(batch.merchant_id)?.approval?.isOfBatches === true;
  const byAnother = isRule || batch.by_another === true;
  return decidable({ state: batch.state, maker: batch.actor, byAnother }, by.actor);
}

/**
 * Called when the write did not match. Either another decision or a hold won, or the approval has
 * expired and the sweep has not yet failed the batch.
 */
function mayDecideNow(
  deps: DecideDeps,
  before: BatchDocument,
  now: BatchDocument,
  by: Change,
): Decided {
  const may = mayDecide(deps, now, by);
  if (isRefused(may)) return may;
  if (now.held?.times === before.held?.times) return expired;
  throw new ConnectError(
    "the batch was held for approval again in the meantime: repeat the request",
    Code.Unavailable,
  );
}

async function found({ batches }: DecideDeps, { _id }: BatchDocument): Promise<BatchDocument> {
  const batch = await batches.findOne({ _id });
  if (batch === null) throw new Error("the batch of an approval decision doesn't exist");
  return batch;
}

/**
 * Returns the approval that a batch passes to its payouts. An approval by the batch's own maker
 * doesn't count.
 */
export function givenApproval({ actor, approval }: BatchDocument): GivenApproval | undefined {
  if (approval === undefined || isSameActor(actor, approval.actor)) return undefined;
  return { by: approval.actor, operationId: approval.operation_id, at: approval.at };
}
