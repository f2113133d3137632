import type { Snapshot } from "./chain.ts";
import { attemptsOf, orderOf, type StoredEnd, type TransferDocument } from "./documents.ts";
import { isGone, type Verdict } from "./rules/finality.ts";
import { sendAgain, sendAttempt } from "./sending.ts";
import { closeWork, noteReorganised } from "./wallet/store.ts";
import type { TransferWork } from "./work.ts";

/**
 * Checks that a transfer's final transaction is still on the chain, until enough later blocks
 * exist. If the transaction is gone, the rail records this, and its replies then contain a
 * contradiction.
 */
export async function watchTransfer(
  work: TransferWork,
  transfer: TransferDocument,
  snapshot: Snapshot,
): Promise<void> {
  const { chain, store, watchBlocks } = work;
  const { _id: key, end: ended, state } = transfer;
  // Operators handle unclear transfers.
  if (ended === undefined || state === "unclear") return closeWork(store.transfers, key);
  const own = attemptsOf(transfer).map(({ id }) => id);
  const verdict = await chain.verdict([...new Set([...own, ended.id])], orderOf(transfer));
  const gone = isGone(verdict, ended);
  if (gone) await note(work, transfer, ended);
  const isReorganised = gone || transfer.reorganised_at !== undefined;
  const isPaidBefore = isReorganised && (await replaceLost(work, transfer));
  if (gone && verdict.kind === "unmined") await replace(work, transfer, snapshot, ended);
  if (verdict.kind !== "final" || snapshot.height - verdict.transaction.height < watchBlocks)
    return;
  const isKept = isReorganised && !isPaidBefore && endedAlike(transfer, verdict);
  await closeWork(store.transfers, key, isKept);
}

async function note(
  { store, clock, log, onEvent }: TransferWork,
  { _id: key, state }: TransferDocument,
  { height }: StoredEnd,
): Promise<void> {
  if (!(await noteReorganised(store.transfers, key, clock.now()))) return;
  log.error(
    { payout_id: key, state, height },
    "a reorganisation removed a transaction that was final; check the payout",
  );
  onEvent("reorganised");
}

/**
 * Sends the transaction that ended the transfer again, so that no other variant of its nonce is
 * mined instead. A reverted transaction is not sent again: it might now pay an amount that was
 * already released. Operators handle that case.
 */
async function replace(
  work: TransferWork,
  transfer: TransferDocument,
  snapshot: Snapshot,
  { id }: StoredEnd,
): Promise<void> {
  if (transfer.state === "rejected") {
    if (transfer.cancel !== undefined) await sendAgain(work, transfer, snapshot);
    return;
  }
  const attempt = transfer.attempts.find((each) => each.id === id);
  if (attempt !== undefined) await sendAttempt(work, attempt);
}

/**
 * Sends the transactions that cancelled earlier nonces of the transfer again, if those nonces are
 * free after a reorganisation. Otherwise an earlier payment could be mined. Returns true if such a
 * payment was mined.
 */
async function replaceLost(work: TransferWork, transfer: TransferDocument): Promise<boolean> {
  let isPaid = false;
  for (const { nonce, to } of transfer.lost) {
    const attempts = transfer.attempts.filter((each) => each.nonce === nonce);
    const ids = [...new Set([...attempts.map(({ id }) => id), to])];
    const verdict = await work.chain.verdict(ids, orderOf(transfer));
    if (verdict.kind === "final" && verdict.transaction.id !== to) isPaid = true;
    const cancelling = attempts.find(({ id }) => id === to);
    if (verdict.kind === "unmined" && cancelling !== undefined) await sendAttempt(work, cancelling);
  }
  return isPaid;
}

/** Returns true if the current final transaction had the same effect as the earlier one. */
function endedAlike(
  { state, attempts }: TransferDocument,
  { transaction }: Extract<Verdict, { kind: "final" }>,
): boolean {
  const { id, succeeded, received } = transaction;
  const attempt = attempts.find((each) => each.id === id);
  const isPayment = attempt !== undefined && !attempt.cancels;
  const mayHavePaid = isPayment && succeeded;
  return state === "settled" ? mayHavePaid && received !== undefined : !mayHavePaid;
}
