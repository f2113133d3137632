import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { bumpedFees, type FeePolicy } from "../rules/fees.ts";
import type { Sighting, Verdict } from "../rules/finality.ts";
import type { Chain, Look } from "./chain.ts";
import {
  attemptsOf,
  feesOf,
  orderOf,
  type StoredEnd,
  type TransferDocument,
  type TransferStore,
} from "./documents.ts";
import { addAttempt, closeTransfer, endTransfer, loseNonce, noteReorganised } from "./store.ts";

/** What the work on transfers needs. */
export type TransferWork = {
  readonly chain: Chain;
  readonly store: TransferStore;
  readonly fees: FeePolicy;
  /** A settled transfer is looked at until so many blocks are on top of its own. */
  readonly watchBlocks: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether bytes are due to be sent again; called before each sending. */
  readonly isSendDue: (id: string) => boolean;
  /** Counts what operators have to know. */
  readonly onEvent: (event: TransferEvent) => void;
};

/** What happened to a transfer that is not the usual way. */
export type TransferEvent = "bumped" | "nonce_lost" | "reverted" | "unclear" | "reorganised";

/** Takes a transfer that has a nonce as far as the chain lets it. */
export async function followTransfer(
  work: TransferWork,
  transfer: TransferDocument,
  look: Look,
): Promise<void> {
  const { chain } = work;
  const ids = attemptsOf(transfer).map(({ id }) => id);
  const verdict = await chain.verdict(ids, orderOf(transfer));
  switch (verdict.kind) {
    case "final":
      return end(work, transfer, verdict.sighting);
    case "unmined":
      if (await isTaken(work, transfer, look)) return;
      return sendAgain(work, transfer, look);
    case "mined":
    case "disputed":
    case "unanswered":
      return;
  }
}

/** Ends a transfer by what its final transaction did. */
async function end(
  { chain, store, clock, log, onEvent }: TransferWork,
  transfer: TransferDocument,
  { id, height, block, succeeded, received }: Sighting,
): Promise<void> {
  const { currency } = transfer;
  const text = received === undefined ? undefined : chain.amountText(received, currency);
  const ended: StoredEnd = {
    ...{ id, height, block, at: clock.now() },
    ...(text !== undefined && { received: text }),
  };
  const state = endStateOf(succeeded, received);
  if (!(await endTransfer(store, transfer, state, ended))) return;
  if (state === "unclear") onEvent("unclear");
  if (state === "rejected") onEvent("reverted");
  log.info({ payout_id: transfer._id, state, height }, "transfer final");
}

/** A success that names no recipient may have paid or not: people find out. */
function endStateOf(succeeded: boolean, received: bigint | undefined) {
  if (!succeeded) return "rejected";
  return received === undefined ? "unclear" : "settled";
}

/** Whether another, final transaction has the nonce; the transfer then waits for a new one. */
async function isTaken(
  { chain, store, clock, log, onEvent }: TransferWork,
  transfer: TransferDocument,
  look: Look,
): Promise<boolean> {
  const { nonce, since = 0 } = transfer;
  if (nonce === undefined || look.finalNonce <= nonce) return false;
  const taker = await chain.takerOf(nonce, since, orderOf(transfer));
  const isOurs = transfer.attempts.some(({ id }) => id === taker?.id);
  // Nodes that lose sight of a transaction of ours, or do not agree, prove nothing.
  if (taker === undefined || isOurs) return true;
  const about = { payout_id: transfer._id, nonce };
  if (taker.isSamePayment) {
    // It may be this payout's, from before a backup was restored: people decide.
    log.error(about, "the nonce was used outside, for the same payment");
    const { id, height, block } = taker;
    const ended = { id, height, block, at: clock.now() };
    if (await endTransfer(store, transfer, "unclear", ended)) onEvent("unclear");
    return true;
  }
  if (await loseNonce(store, transfer, taker.id, clock.now())) {
    log.error(about, "the nonce was used outside");
    onEvent("nonce_lost");
  }
  return true;
}

/** Sends the newest bytes of an unmined transfer again, with higher fees where they are due. */
async function sendAgain(
  work: TransferWork,
  transfer: TransferDocument,
  { baseFee }: Look,
): Promise<void> {
  const { chain, store, fees: policy, clock, isSendDue, onEvent } = work;
  const attempts = attemptsOf(transfer);
  const last = attempts.at(-1);
  const { nonce } = transfer;
  if (last === undefined || nonce === undefined) return;
  const known = { fees: feesOf(last), atMs: last.at.getTime(), count: attempts.length };
  const fees = bumpedFees(known, baseFee, clock.now().getTime(), policy);
  if (fees === undefined) {
    if (isSendDue(last.id)) await chain.send(last.raw.value());
    return;
  }
  const signed = await chain.sign(nonce, orderOf(transfer), fees);
  // Where another process added one first, this one is never sent.
  if (!(await addAttempt(store, transfer, { signed, fees }, clock.now()))) return;
  onEvent("bumped");
  isSendDue(signed.id);
  await chain.send(signed.raw);
}

/** Looks whether a final transaction is still on the chain, and sends it again if it is not. */
export async function watchTransfer(
  work: TransferWork,
  transfer: TransferDocument,
  look: Look,
): Promise<void> {
  const { chain, store, watchBlocks, clock, log, onEvent } = work;
  const { _id: key, end: ended, state } = transfer;
  if (ended === undefined || state !== "settled") return closeTransfer(store, key);
  const ids = attemptsOf(transfer).map(({ id }) => id);
  const verdict = await chain.verdict(ids, orderOf(transfer));
  if (isGone(verdict, ended)) {
    if (await noteReorganised(store, key, clock.now())) {
      log.error({ payout_id: key, height: ended.height }, "a settled transfer left the chain");
      onEvent("reorganised");
    }
    if (verdict.kind === "unmined") await resend(work, transfer, ended.id);
  }
  if (verdict.kind !== "final") return;
  if (look.height - verdict.sighting.height >= watchBlocks) await closeTransfer(store, key);
}

/** Whether the transaction is nowhere, or in another block; nodes that disagree prove nothing. */
function isGone(verdict: Verdict, ended: StoredEnd): boolean {
  if (verdict.kind === "unmined") return true;
  return verdict.kind === "final" && verdict.sighting.block !== ended.block;
}

/** The bytes that settled it: no other bytes of the nonce may be mined instead. */
async function resend({ chain, isSendDue }: TransferWork, transfer: TransferDocument, id: string) {
  const attempt = transfer.attempts.find((each) => each.id === id);
  if (attempt !== undefined && isSendDue(id)) await chain.send(attempt.raw.value());
}
