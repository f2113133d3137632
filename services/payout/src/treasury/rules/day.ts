/** Sums of a rail account's movements in a day, in minor units. */
export type DayMovements = {
  /** Available and held, before the day's first movement. */
  readonly opening: bigint;
  readonly funded: bigint;
  readonly swept: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  readonly charges: bigint;
  /** Available and held, after its last one. */
  readonly closing: bigint;
  /** The part of `closing` that is held. */
  readonly held: bigint;
};

/** The difference between a bank's closing balance and ours. */
export type Difference = {
  /** The bank's balance less the ledger's. */
  readonly difference: bigint;
  /** The part that open payouts don't explain. */
  readonly unexplained: bigint;
};

/**
 * Compares the closing balance of a day with its bank's statement. A payout may be paid by the bank
 * and settled later, so it is still held here. The bank may therefore have less, by the held amount
 * at most.
 */
export function compareStatement(
  { closing, held }: Pick<DayMovements, "closing" | "held">,
  statement: bigint,
): Difference {
  const difference = statement - closing;
  if (difference > 0n) return { difference, unexplained: difference };
  return { difference, unexplained: difference < -held ? difference + held : 0n };
}

export function addsUp(day: DayMovements): boolean {
  const { opening, funded, swept, paid, returned, charges, closing } = day;
  return opening + funded - swept - paid + returned - charges === closing;
}

export type Day = { readonly text: string; readonly from: Date; readonly to: Date };

const dayMs = 24 * 60 * 60 * 1_000;

/** Reads a day, `yyyy-mm-dd` in UTC. Returns `undefined` if it is invalid. */
export function readDay(text: string): Day | undefined {
  const from = new Date(`${text}T00:00:00.000Z`);
  if (Number.isNaN(from.getTime()) || dayOf(from) !== text) return undefined;
  return { text, from, to: new Date(from.getTime() + dayMs) };
}

/** Returns the day of a time, in UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, "yyyy-mm-dd".length);
}

/** Returns the day before that of a time, in UTC. */
export function dayBefore(time: Date): string {
  return dayOf(new Date(time.getTime() - dayMs));
}

/** Returns the amount that would cover all waiting payouts, in minor units. */
export function missingFor(waiting: bigint, available: bigint): bigint {
  if (waiting === 0n) return 0n;
  const missing = waiting - available;
  return missing > 0n ? missing : 0n;
}
