import type { Platform } from "../platform.ts";
import type { Document } from "../store/value.ts";
import type { Workload } from "../workload/workload.ts";
import { payoutsIn } from "./payouts.ts";

/** Finds duplicates that the duplicate check didn't detect, and wrong reissues. */
export function wrongRepeats(platform: Platform, workload: Workload): string[] {
  const payouts = payoutsIn(platform.databases.payout);
  return [...duplicates(platform, workload, payouts), ...wrongReissues(payouts, workload)];
}

/**
 * Duration of the lock of the duplicate check. Another execute doesn't wait longer if an execute
 * stalls (decision 53).
 */
const turnMs = 5_000;

/**
 * Finds payouts that repeat an earlier payout, for merchants with a duplicate check. The earlier
 * payout must not have failed before the later one.
 */
function duplicates(
  { observer, beneficiaries }: Platform,
  { controls }: Workload,
  payouts: readonly Document[],
): string[] {
  // An execute that skips the duplicate check takes no lock, so it may run between two others.
  const guarded = payouts.filter(
    ({ merchant_id, allow_duplicate }) =>
      (controls.get(String(merchant_id))?.duplicateWindowSeconds ?? 0) > 0 && !allow_duplicate,
  );
  const alike = Map.groupBy(guarded, (each) =>
    [
      each.merchant_id,
      beneficiaries.get(String(each.beneficiary_id))?.destination,
      plainReference(String(each.reference_id)),
      each.source_minor,
    ].join(" "),
  );
  const isPrompt = (payout: Document) => {
    const storedMs = observer.storedMs.get(String(payout._id)) ?? 0;
    return storedMs - (observer.turnMs.get(holdOf(payout)) ?? storedMs) < turnMs;
  };
  /** Returns true if a payout existed and had not failed when the later payout was created. */
  const wasThere = (payout: Document, later: Document) => {
    const madeMs = madeAt(later);
    const failedMs = observer.failedMs.get(String(payout._id));
    const isBefore = madeAt(payout) < madeMs;
    return isBefore && !(failedMs !== undefined && failedMs <= madeMs);
  };
  return [...alike.values()].flatMap((all) => {
    const some = all.filter(isPrompt);
    return some
      .filter((each) => some.some((other) => other !== each && wasThere(other, each)))
      .map(({ _id }) => `${_id} repeats another payout, and a guard stands before it`);
  });
}

/** Returns the time at which a payout's quote was claimed. */
function madeAt({ created_at, funded_at }: Document): number {
  return ((funded_at ?? created_at) as Date).getTime();
}

/** Each attempt of a payout that waited for balance takes its own lock. */
function holdOf({ _id, waited }: Document): string {
  const { attempt } = (waited ?? {}) as { attempt?: number };
  return attempt === undefined ? String(_id) : `${_id}.${attempt}`;
}

/** Returns a reference without the spelling variants that the workload creates for duplicates. */
function plainReference(reference: string): string {
  return reference.toLowerCase().replaceAll("\u200b", "");
}

/**
 * Requires that a returned payout is reissued at most once. The two payouts must name each other.
 */
function wrongReissues(payouts: readonly Document[], { record }: Workload): string[] {
  const again = Map.groupBy(payouts, ({ reissue_of }) => reissue_of);
  const linked = payouts.flatMap(({ _id, reissued_as, progress }) => {
    const created = (again.get(_id) ?? []).map((each) => each._id);
    const expected = reissued_as === undefined ? [] : [reissued_as];
    const { stage } = progress as { stage: string };
    const isOver = stage === "rejected" || stage === "returned";
    return [
      ...(created.join() === expected.join() ? [] : [`${_id} was paid again as ${created.join()}`]),
      ...(created.length > 0 && !isOver ? [`${_id} was paid again, and is ${stage}`] : []),
    ];
  });
  const answered = [...record.reissued].flatMap(([id, ids]) => {
    const created = (again.get(id) ?? []).map((each) => String(each._id));
    return [...ids].every((each) => created.includes(each))
      ? []
      : [`${id} got the answer that it is paid again as ${[...ids].join()}`];
  });
  return [...linked, ...answered];
}
