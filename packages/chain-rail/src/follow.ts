import type { Snapshot, Taker } from "./chain.ts";
import { attemptsOf, orderOf, type StoredEnd, type TransferDocument } from "./documents.ts";
import type { MinedTransaction } from "./rules/finality.ts";
import { sendAgain } from "./sending.ts";
import { endTransfer, loseNonce } from "./store.ts";
import type { TransferWork } from "./work.ts";

/** Advances a transfer that has a nonce as far as the chain allows. */
export async function followTransfer(
  work: TransferWork,
  transfer: TransferDocument,
  snapshot: Snapshot,
): Promise<void> {
  const { chain } = work;
  const ids = attemptsOf(transfer).map(({ id }) => id);
  // A transfer that only fills a nonce may have no signed transaction yet.
  const verdict =
    ids.length === 0 ? ({ kind: "unmined" } as const) : await chain.verdict(ids, orderOf(transfer));
  switch (verdict.kind) {
    case "final":
      return end(work, transfer, verdict.transaction);
    case "unmined":
      if (await isTaken(work, transfer, snapshot)) return;
      return sendAgain(work, transfer, snapshot);
    case "mined":
    case "disputed":
    case "unanswered":
      return;
  }
}

/** Ends a transfer according to its final transaction. */
async function end(
  work: TransferWork,
  transfer: TransferDocument,
  transaction: MinedTransaction,
): Promise<void> {
  const { chain, store, clock, log, onEvent } = work;
  const { id, height, block, succeeded, received } = transaction;
  const attempt = transfer.attempts.find((each) => each.id === id);
  if (attempt === undefined)
    throw new Error("the final transaction is none of the transfer's attempts");
  // A cancelling transaction pays nothing, whether it succeeded or not.
  if (attempt.cancels) return endCancelled(work, transfer, transaction);
  const { currency } = transfer;
  const text = received === undefined ? undefined : chain.amountText(received, currency);
  const ended: StoredEnd = {
    id,
    height,
    block,
    at: clock.now(),
    ...(text !== undefined && { received: text }),
  };
  const state = endStateOf(succeeded, received);
  if (!(await endTransfer(store, transfer, state, ended))) return;
  if (state === "unclear") onEvent("unclear");
  if (state === "rejected") onEvent("reverted");
  log.debug(
    { payout_id: transfer._id, state, height },
    "blockchain transfer reached its final state",
  );
}

/**
 * A successful transaction without a recorded recipient may or may not have paid. Operators find
 * out.
 */
function endStateOf(succeeded: boolean, received: bigint | undefined) {
  if (!succeeded) return "rejected";
  return received === undefined ? "unclear" : "settled";
}

/**
 * Handles a nonce that was used without a payment. As operators decided, the transfer ends or waits
 * for a new nonce.
 */
async function endCancelled(
  { store, clock, log, onEvent }: TransferWork,
  transfer: TransferDocument,
  { id, height, block }: Pick<MinedTransaction, "id" | "height" | "block">,
): Promise<void> {
  const at = clock.now();
  const isRenewed = transfer.cancel?.end === "renew";
  const isDone = isRenewed
    ? await loseNonce(store, transfer, id, at)
    : await endTransfer(store, transfer, "cancelled", { id, height, block, at });
  if (!isDone) return;
  const { _id, nonce } = transfer;
  log.warn(
    { payout_id: _id, nonce, height, renewed: isRenewed },
    "a cancelling transaction used up the transfer's nonce, so no money was sent under it",
  );
  onEvent("cancelled");
}

/**
 * Checks whether another final transaction used the nonce. If so, that transaction determines what
 * happens to the transfer.
 */
async function isTaken(
  work: TransferWork,
  transfer: TransferDocument,
  snapshot: Snapshot,
): Promise<boolean> {
  const { nonce, since = 0 } = transfer;
  if (nonce === undefined || snapshot.finalNonce <= nonce) return false;
  const taker = await work.chain.takerOf(nonce, since, orderOf(transfer));
  const isOurs = transfer.attempts.some(({ id }) => id === taker?.id);
  // If the responses about this wallet's own transaction are missing or contradictory, they prove
  // nothing.
  if (taker !== undefined && !isOurs) await giveUp(work, transfer, taker);
  return true;
}

/** Handles a nonce that another final transaction used permanently. */
async function giveUp(work: TransferWork, transfer: TransferDocument, taker: Taker): Promise<void> {
  const { store, clock, log, onEvent } = work;
  const about = { payout_id: transfer._id, nonce: transfer.nonce };
  if (taker.isSamePayment) {
    // The other transaction may be this payout's payment, sent before a backup was restored.
    // Operators decide.
    log.error(
      about,
      "an unknown transaction made the same payment with the transfer's nonce; decide the payout's outcome",
    );
    const { id, height, block } = taker;
    const ended = { id, height, block, at: clock.now() };
    if (await endTransfer(store, transfer, "unclear", ended)) onEvent("unclear");
    return;
  }
  if (transfer.gap || transfer.cancel?.end === "reject") {
    return endCancelled(work, transfer, taker);
  }
  if (await loseNonce(store, transfer, taker.id, clock.now())) {
    log.error(
      about,
      "an unknown transaction used the transfer's nonce; the transfer waits for a new one",
    );
    onEvent("nonce_lost");
  }
}
