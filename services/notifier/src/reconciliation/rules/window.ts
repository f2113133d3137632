/** What may be lost: an event on its way here, or what should have been sent of a stored one. */
export const gapKinds = ["event", "delivery"] as const;
/** The kind of a sweep. */
export type GapKind = (typeof gapKinds)[number];

/** The span of time that a sweep looks at; `from` is in it, `to` is not. */
export type GapWindow = { readonly from: Date; readonly to: Date };

/** What is younger may still be on its way, and is no gap yet. */
const onItsWayMs = 60_000;

/** How far back the first sweep of all goes. */
const firstReachMs = 86_400_000;

/** What a kind of sweep looks at. */
export type GapTerms = {
  /** What is older may be deleted, and is no gap. */
  readonly reachMs: number;
  /** Swept again, because clocks differ by up to this. */
  readonly overlapMs: number;
};

/** What is to be swept now; `undefined`: nothing. `through` is where the last sweep ended. */
export function gapWindow(
  through: Date | undefined,
  now: Date,
  { reachMs, overlapMs }: GapTerms,
): GapWindow | undefined {
  const to = now.getTime() - onItsWayMs;
  const begun = through?.getTime() ?? to - firstReachMs;
  if (to <= begun) return undefined;
  const from = Math.max(begun - overlapMs, now.getTime() - reachMs);
  return { from: new Date(from), to: new Date(to) };
}
