import { isGone, type Verdict } from "@disburse/chain-rail/rules/finality.ts";
import { closeWork, noteReorganised } from "@disburse/chain-rail/wallet/store.ts";
import type { BatchDocument, StoredEnd } from "./documents.ts";
import { releaseCoins, releaseUnspent } from "./follow.ts";
import { endChild } from "./store.ts";
import type { BatchWork, Run } from "./work.ts";

/**
 * Checks that a batch's final transaction is still on the chain, until enough later blocks exist.
 * If it is gone, the rail records this, and its replies then contain a contradiction.
 */
export async function watchBatch(work: BatchWork, batch: BatchDocument, run: Run): Promise<void> {
  const { chain, store, watchBlocks } = work;
  const { _id: id, end: ended, state } = batch;
  if (ended === undefined) return;
  // Operators handle unclear batches.
  if (state === "unclear") return close(work, batch, run, false);
  await releaseUnspent(work, batch, ended.id, run);
  const verdict = await chain.verdict(batch.variants.map((each) => each.id));
  const gone = isGone(verdict, ended);
  if (gone && (await noteReorganised(store.batches, id, work.clock.now())))
    report(work, batch, ended);
  // Another variant must not take its place: a payment instead of a cancellation, or the reverse.
  if (gone && verdict.kind === "unmined") await send(work, batch.variants, ended.id);
  const hasChild = await followChild(work, batch, ended);
  if (verdict.kind !== "final" || hasChild) return;
  if (run.snapshot.height - verdict.transaction.height < watchBlocks) return;
  const isReorganised = gone || batch.reorganised_at !== undefined;
  await close(work, batch, run, isReorganised && endedAlike(batch, verdict));
}

function report({ log, onEvent }: BatchWork, { _id, state }: BatchDocument, ended: StoredEnd) {
  log.error(
    { batch: _id, state, height: ended.height },
    "a reorganisation removed a transaction that was final; check the batch's payouts",
  );
  onEvent("reorganised");
}

async function send(
  { chain, isSendDue }: BatchWork,
  stored: readonly { readonly id: string; readonly raw: { value(): Uint8Array } }[],
  id: string,
): Promise<void> {
  const found = stored.find((each) => each.id === id);
  if (found !== undefined && isSendDue(id)) await chain.send(found.raw.value());
}

/**
 * Follows the children of the final variant. Returns true while one may still be mined: it spends a
 * coin that stays reserved until then.
 */
async function followChild(
  work: BatchWork,
  batch: BatchDocument,
  ended: StoredEnd,
): Promise<boolean> {
  const children = batch.children.filter(({ parent }) => parent === ended.id);
  if (children.length === 0 || batch.child_end !== undefined) return false;
  const verdict = await work.chain.verdict(children.map(({ id }) => id));
  if (verdict.kind === "final") {
    const { id, height, block } = verdict.transaction;
    await endChild(work.store, batch, { id, height, block, at: work.clock.now() });
    return false;
  }
  if (verdict.kind === "unmined") for (const { id } of children) await send(work, children, id);
  return true;
}

/** Ends the work on a batch, after all its coins are free. */
async function close(
  work: BatchWork,
  { _id: id }: BatchDocument,
  run: Run,
  isKept: boolean,
): Promise<void> {
  if (await releaseCoins(work, id, run, () => true))
    await closeWork(work.store.batches, id, isKept);
}

/** Returns true if the current final transaction had the same effect as the earlier one. */
function endedAlike(
  { state, variants }: BatchDocument,
  { transaction }: Extract<Verdict, { kind: "final" }>,
): boolean {
  const cancels = variants.find(({ id }) => id === transaction.id)?.cancels ?? false;
  return cancels === (state === "cancelled");
}
