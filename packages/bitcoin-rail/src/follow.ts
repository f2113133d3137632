import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { BatchDocument, ReservedCoin, StoredEnd } from "./documents.ts";
import { sendAgain } from "./sending.ts";
import { endBatch } from "./store.ts";
import { readTransaction, spentCoins } from "./transaction.ts";
import { type BatchWork, changeRead, type Run } from "./work.ts";

/** Advances an open batch as far as the chain allows. */
export async function followBatch(work: BatchWork, batch: BatchDocument, run: Run): Promise<void> {
  const ids = batch.variants.map(({ id }) => id);
  const verdict = ids.length === 0 ? ({ kind: "unmined" } as const) : await work.chain.verdict(ids);
  switch (verdict.kind) {
    case "final":
      return end(work, batch, verdict.transaction, run);
    case "unmined":
      if (await isTaken(work, batch, run)) return;
      return sendAgain(work, batch, run);
    case "mined":
    case "disputed":
    case "unanswered":
      return;
  }
}

/** Ends a batch by its final variant. */
async function end(
  work: BatchWork,
  batch: BatchDocument,
  { id, height, block }: Omit<StoredEnd, "at">,
  run: Run,
): Promise<void> {
  const { store, clock, log, onEvent } = work;
  const variant = batch.variants.find((each) => each.id === id);
  if (variant === undefined) throw new Error("the final transaction is no variant of the batch");
  const state = variant.cancels ? "cancelled" : "settled";
  const ended = { id, height, block, at: clock.now() };
  if (!(await endBatch(store, batch, state, ended))) return;
  const fee = Number(fromDecimal128(variant.fee));
  const payouts = batch.payouts.length;
  log.info({ batch: batch._id, state, height, payouts, fee_sat: fee }, "a Bitcoin batch is final");
  if (variant.cancels) onEvent("cancelled");
  await releaseUnspent(work, batch, id, run);
}

/**
 * Releases the coins that only other variants spend, which can't be mined any more. The final
 * variant's own coins stay reserved while the batch is watched: a deep reorganisation may free
 * them, and only this variant may spend them then.
 */
export async function releaseUnspent(
  work: Pick<BatchWork, "store">,
  { _id: id, variants }: BatchDocument,
  final: string,
  run: Run,
): Promise<void> {
  const variant = variants.find((each) => each.id === final);
  if (variant === undefined) return;
  const spent = new Set(spentCoins(readTransaction(variant.raw.value())));
  await releaseCoins(work, id, run, ({ coin, child = false }) => !child && !spent.has(coin));
}

/** Releases coins of a batch. Returns `false` if another process changed the wallet. */
export async function releaseCoins(
  work: Pick<BatchWork, "store">,
  batch: string,
  run: Run,
  which: (coin: ReservedCoin) => boolean,
): Promise<boolean> {
  const reserved = run.wallet.reserved.filter((each) => each.batch !== batch || !which(each));
  return reserved.length === run.wallet.reserved.length || changeRead(work, run, { reserved });
}

/**
 * Checks whether a final transaction that this rail did not store spends the fixed coin. Somebody
 * has used the wallet's key, or a backup was restored and the transaction is an earlier payment of
 * the batch. Operators find out.
 */
async function isTaken(work: BatchWork, batch: BatchDocument, run: Run): Promise<boolean> {
  const { chain, store, clock, log, onEvent } = work;
  for (const id of run.unknown) {
    const found = await chain.finalTransaction(id);
    if (found === undefined) continue;
    if (!spentCoins(readTransaction(found.raw)).includes(batch._id)) continue;
    const { height, block } = found;
    const ended = { id, height, block, at: clock.now() };
    if (await endBatch(store, batch, "unclear", ended)) {
      log.error(
        { batch: batch._id, transaction: id, payouts: batch.payouts.length },
        "an unknown transaction spent the batch's fixed coin; decide the payouts' outcomes",
      );
      onEvent("unclear");
    }
    return true;
  }
  return false;
}
