import type { Violation } from "@disburse/kernel/refusal.ts";

/** A line of a batch that another batch corrects. */
export type EarlierLine = {
  readonly id: string;
  /** The first line of the chain of corrections; the line itself if it corrects none. */
  readonly firstId: string;
  readonly referenceId: string;
  /** Only a failed line may be paid again. A payout that failed later is reissued instead. */
  readonly hasFailed: boolean;
  /** The line that pays the first one again; `undefined` if none does. */
  readonly correctedBy: string | undefined;
  /** True if `correctedBy` may still be paid, so that no other line may correct this one. */
  readonly isCorrected: boolean;
};

/**
 * Returns the failed line that each reference pays again, or the problem of its line. Each failed
 * line is used once, so a reference may come as often as it has failed lines.
 */
export function matchedLines(
  earlier: readonly EarlierLine[],
  references: readonly string[],
): (EarlierLine | Violation)[] {
  const byReference = Map.groupBy(earlier, ({ referenceId }) => referenceId);
  const used = new Set<string>();
  return references.map((reference) => {
    const field = "reference_id";
    if (reference === "") return { field, problem: "is required to correct a failed line" };
    const its = byReference.get(reference) ?? [];
    const free = its.find(({ id, hasFailed, isCorrected }) => {
      return hasFailed && !isCorrected && !used.has(id);
    });
    if (free !== undefined) {
      used.add(free.id);
      return free;
    }
    if (its.length === 0)
      return { field, problem: "must be that of a line of the corrected batch" };
    const problem = its.some(({ hasFailed }) => hasFailed)
      ? "was corrected before: another line or batch pays this line"
      : "must be that of a failed line: this line has not failed";
    return { field, problem };
  });
}
