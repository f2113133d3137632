/** How long a reservation counts: windows slide, by the database's clock. */
export const windowMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** The two windows of velocity limits: any 60 minutes, any 24 hours. */
export type Window = keyof typeof windowMs;

/** A velocity limit of one subject: a merchant, or an account or wallet that it pays. */
export type Limit = {
  readonly window: Window;
  /** Absent: the limit counts payouts, of all currencies together. */
  readonly currency?: string;
  /** Payouts, or minor units of the currency; inclusive. */
  readonly max: bigint;
};

/** Room that is used: by one payout, or by several of one currency, which count from the last. */
export type Part = {
  readonly at: Date;
  readonly currency: string;
  readonly count: number;
  /** Minor units. */
  readonly amount: bigint;
};

/** The payout that needs room: its amount in minor units of its source currency. */
export type Ask = Pick<Part, "currency" | "amount">;

/** A limit without room for a payout, and when it has room again if nothing else is reserved. */
export type Exceeded = { readonly limit: Limit; readonly roomAt: Date | "never" };

/** What a payout or a part takes of a limit. */
function weight({ currency }: Limit, part: Omit<Part, "at">): bigint {
  if (currency === undefined) return BigInt(part.count);
  return part.currency === currency ? part.amount : 0n;
}

/** When a limit has room for a payout: `now`, later, or never; `parts` are sorted by time. */
export function roomAt(parts: readonly Part[], limit: Limit, ask: Ask, now: Date): Date | "never" {
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

/** The limit that has no room for a payout for longest; `undefined`: all have room now. */
export function exceeded(
  parts: readonly Part[],
  limits: readonly Limit[],
  ask: Ask,
  now: Date,
): Exceeded | undefined {
  let last: Exceeded | undefined;
  for (const limit of limits) {
    const at = roomAt(parts, limit, ask, now);
    if (at === now) continue;
    if (at === "never") return { limit, roomAt: at };
    if (last === undefined || at > last.roomAt) last = { limit, roomAt: at };
  }
  return last;
}

/** Whether limits let through what those in force do not: one is gone, or is higher. */
export function isLooser(inForce: readonly Limit[], wanted: readonly Limit[]): boolean {
  return inForce.some(({ window, currency, max }) => {
    const same = wanted.find((each) => each.window === window && each.currency === currency);
    return same === undefined || same.max > max;
  });
}
