import type { Snapshot } from "./chain.ts";
import {
  attemptsOf,
  feesOf,
  orderOf,
  type StoredAttempt,
  type TransferDocument,
} from "./documents.ts";
import { boundedFees, bumpedFees, type Fees, replacingFees } from "./rules/fees.ts";
import { addAttempt } from "./store.ts";
import type { TransferWork } from "./work.ts";

/**
 * Sends the newest variant of an unmined nonce again. If higher fees are due, it first signs a
 * variant with higher fees. After an operator's decision to cancel, it signs a cancelling variant.
 */
export async function sendAgain(
  work: TransferWork,
  transfer: TransferDocument,
  { baseFee }: Snapshot,
): Promise<void> {
  const { chain, store, clock, onEvent } = work;
  const { nonce, cancel } = transfer;
  if (nonce === undefined) return;
  const last = attemptsOf(transfer).at(-1);
  const fees = dueFees(work, transfer, baseFee);
  if (fees === undefined) {
    if (last !== undefined) await sendAttempt(work, last);
    return;
  }
  const order = orderOf(transfer);
  const isCancel = cancel !== undefined || order === undefined;
  const signed = isCancel
    ? await chain.signCancel(nonce, fees)
    : await chain.sign(nonce, order, fees);
  const variant = { signed, fees, ...(isCancel && { cancels: true as const }) };
  // If another process stored a variant first, this one must not be sent.
  if (!(await addAttempt(store, transfer, variant, clock.now()))) return;
  if (last?.cancels === variant.cancels) onEvent("bumped");
  work.isSendDue(signed.id);
  await chain.send(signed.raw);
}

/** Sends a stored variant if it is due. */
export async function sendAttempt(
  { chain, isSendDue }: Pick<TransferWork, "chain" | "isSendDue">,
  { id, raw }: Pick<StoredAttempt, "id" | "raw">,
): Promise<void> {
  if (isSendDue(id)) await chain.send(raw.value());
}

/**
 * Returns the fees of the next variant. Returns `undefined` if the last variant need not be
 * replaced.
 */
function dueFees(
  { fees: policy, clock }: TransferWork,
  transfer: TransferDocument,
  baseFee: bigint,
): Fees | undefined {
  const attempts = attemptsOf(transfer);
  const last = attempts.at(-1);
  if (last === undefined) return boundedFees(baseFee, policy);
  const isCancelled = transfer.cancel !== undefined;
  const isCancelDue = isCancelled && last.cancels !== true;
  if (isCancelDue) return replacingFees(feesOf(last), baseFee, policy);
  const alike = attempts.filter(({ cancels }) => cancels === last.cancels);
  const known = { fees: feesOf(last), atMs: last.at.getTime(), count: alike.length };
  return bumpedFees(known, baseFee, clock.now().getTime(), policy);
}
