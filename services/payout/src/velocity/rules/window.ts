/** The lengths of the sliding windows, by the database's clock. */
export const windowMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** The name of a window. `hour` is any 60 minutes, and `day` any 24 hours. */
export type Window = keyof typeof windowMs;

/**
 * A velocity limit of one subject. The subject is a merchant, or an account or wallet that it pays.
 */
export type Limit = {
  readonly window: Window;
  /** The source currency. If absent, the limit counts the number of payouts in all currencies. */
  readonly currency?: string;
  /** The maximum, inclusive. With a currency, in minor units; otherwise the number of payouts. */
  readonly max: bigint;
};

/**
 * The usage by one payout, or by several payouts in one currency. Several payouts count from the
 * time of the last one.
 */
export type Part = {
  readonly at: Date;
  readonly currency: string;
  readonly count: number;
  readonly amount: bigint;
};

/** A payout that asks for part of a limit. The amount is in minor units of the source currency. */
export type Ask = Pick<Part, "currency" | "amount">;

/**
 * An exceeded limit. `allowedAt` is the time from which it allows the payout, if nothing else is
 * reserved until then.
 */
export type Exceeded = { readonly limit: Limit; readonly allowedAt: Date | "never" };

/** Returns the amount, or the number of payouts, that a part counts towards a limit. */
function weight({ currency }: Limit, part: Omit<Part, "at">): bigint {
  if (currency === undefined) return BigInt(part.count);
  return part.currency === currency ? part.amount : 0n;
}

/** Returns the time from which a limit allows a payout. `parts` are sorted by time. */
export function allowedAt(
  parts: readonly Part[],
  limit: Limit,
  ask: Ask,
  now: Date,
): Date | "never" {
  const own = weight(limit, { ...ask, count: 1 });
  if (own === 0n) return now;
  let sum = own;
  if (sum > limit.max) return "never";
  for (const part of parts.toReversed()) {
    const leavesAt = new Date(part.at.getTime() + windowMs[limit.window]);
    if (leavesAt <= now) return now;
    sum += weight(limit, part);
    if (sum > limit.max) return leavesAt;
  }
  return now;
}

/** Returns how much of a limit the parts use now. */
export function usedOf(parts: readonly Part[], limit: Limit, now: Date): bigint {
  const since = now.getTime() - windowMs[limit.window];
  const counted = parts.filter(({ at }) => at.getTime() > since);
  return counted.reduce((sum, part) => sum + weight(limit, part), 0n);
}

/** Returns the limit that blocks a payout for the longest time, or `undefined` if none does. */
export function exceeded(
  parts: readonly Part[],
  limits: readonly Limit[],
  ask: Ask,
  now: Date,
): Exceeded | undefined {
  let last: Exceeded | undefined;
  for (const limit of limits) {
    const at = allowedAt(parts, limit, ask, now);
    if (at === now) continue;
    if (at === "never") return { limit, allowedAt: at };
    if (last === undefined || at > last.allowedAt) last = { limit, allowedAt: at };
  }
  return last;
}

/** Returns true if a limit was removed or raised. */
export function isLooser(inForce: readonly Limit[], wanted: readonly Limit[]): boolean {
  return inForce.some(({ window, currency, max }) => {
    const same = wanted.find((each) => each.window === window && each.currency === currency);
    return same === undefined || same.max > max;
  });
}
