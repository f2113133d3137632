import type { Payouts } from "../../payouts/document.ts";
import { callForWork } from "../../payouts/work.ts";
import type { FileWork } from "./files.ts";

/** Payouts that one run has asked. */
const atOnce = 1_000;

/**
 * Has payouts ask the rail whose payments have changed, until they have: the answer of `query` is
 * what they store. One that has failed never asks again.
 */
export async function callOwed(
  { rail, store, clock }: FileWork,
  payouts: Payouts,
  wake: () => void,
): Promise<void> {
  const owed = await store.payments
    .find({ rail, owed: true })
    .limit(atOnce)
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  if (owed.length === 0) return;
  const ids = owed.map(({ _id }) => _id);
  const over = await callForWork(payouts, ids, clock.now());
  if (over.length > 0) {
    await store.payments.updateMany({ _id: { $in: over } }, { $unset: { owed: "" } });
  }
  wake();
}
