import type { Look } from "./chain.ts";
import { attemptsOf, orderOf, type StoredEnd, type TransferDocument } from "./documents.ts";
import type { Verdict } from "./rules/finality.ts";
import { sendAgain, sendAttempt } from "./sending.ts";
import { closeTransfer, noteReorganised } from "./store.ts";
import type { TransferWork } from "./work.ts";

/**
 * Looks whether what a transfer ended by is still on the chain, until enough blocks are on top of
 * it. What is gone is noted: the rail's answer contradicts itself from then on.
 */
export async function watchTransfer(
  work: TransferWork,
  transfer: TransferDocument,
  look: Look,
): Promise<void> {
  const { chain, store, watchBlocks } = work;
  const { _id: key, end: ended, state } = transfer;
  // People look at what is unclear.
  if (ended === undefined || state === "unclear") return closeTransfer(store, key);
  const own = attemptsOf(transfer).map(({ id }) => id);
  const verdict = await chain.verdict([...new Set([...own, ended.id])], orderOf(transfer));
  const gone = isGone(verdict, ended);
  if (gone) await note(work, transfer, ended);
  const isReorganised = gone || transfer.reorganised_at !== undefined;
  const isPaidBefore = isReorganised && (await replaceLost(work, transfer));
  if (gone && verdict.kind === "unmined") await replace(work, transfer, look, ended);
  if (verdict.kind !== "final" || look.height - verdict.sighting.height < watchBlocks) return;
  const isKept = isReorganised && !isPaidBefore && endedAlike(transfer, verdict);
  await closeTransfer(store, key, isKept);
}

/** Whether the transaction is nowhere, or in another block; nodes that disagree prove nothing. */
function isGone(verdict: Verdict, ended: StoredEnd): boolean {
  if (verdict.kind === "unmined") return true;
  return verdict.kind === "final" && verdict.sighting.block !== ended.block;
}

async function note(
  { store, clock, log, onEvent }: TransferWork,
  { _id: key, state }: TransferDocument,
  { height }: StoredEnd,
): Promise<void> {
  if (!(await noteReorganised(store, key, clock.now()))) return;
  log.error({ payout_id: key, state, height }, "a final transaction left the chain");
  onEvent("reorganised");
}

/**
 * Sends the bytes again that the transfer ended by: no other bytes of the nonce may be mined
 * instead. Those that had reverted might pay now what was given back, and are left to people.
 */
async function replace(
  work: TransferWork,
  transfer: TransferDocument,
  look: Look,
  { id }: StoredEnd,
): Promise<void> {
  if (transfer.state === "rejected") {
    if (transfer.cancel !== undefined) await sendAgain(work, transfer, look);
    return;
  }
  const attempt = transfer.attempts.find((each) => each.id === id);
  if (attempt !== undefined) await sendAttempt(work, attempt);
}

/**
 * Sends what cancelled the transfer's earlier nonces again, where they are free: the payments that
 * were signed for them are valid again. Answers whether one of those was mined.
 */
async function replaceLost(work: TransferWork, transfer: TransferDocument): Promise<boolean> {
  let isPaid = false;
  for (const { nonce, to } of transfer.lost) {
    const attempts = transfer.attempts.filter((each) => each.nonce === nonce);
    const ids = [...new Set([...attempts.map(({ id }) => id), to])];
    const verdict = await work.chain.verdict(ids, orderOf(transfer));
    if (verdict.kind === "final" && verdict.sighting.id !== to) isPaid = true;
    const cancelling = attempts.find(({ id }) => id === to);
    if (verdict.kind === "unmined" && cancelling !== undefined) await sendAttempt(work, cancelling);
  }
  return isPaid;
}

/** Whether the transaction that is final now did the same as the one that was. */
function endedAlike(
  { state, attempts }: TransferDocument,
  { sighting }: Extract<Verdict, { kind: "final" }>,
): boolean {
  const { id, succeeded, received } = sighting;
  const attempt = attempts.find((each) => each.id === id);
  const isPayment = attempt !== undefined && !attempt.cancels;
  const mayHavePaid = isPayment && succeeded;
  return state === "settled" ? mayHavePaid && received !== undefined : !mayHavePaid;
}
