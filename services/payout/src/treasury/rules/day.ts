/** Sums of a rail account's movements in a day, in minor units. */
export type DayMovements = {
  /** Available and held money before the day's first movement. */
  readonly opening: bigint;
  readonly funded: bigint;
  readonly swept: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  readonly charges: bigint;
  /** Available and held money after the day's last movement. */
  readonly closing: bigint;
  /** The part of `closing` that is held. */
  readonly held: bigint;
};

/** The difference between the bank's closing balance and the ledger's. */
export type Difference = {
  /** The bank's balance minus the ledger's. */
  readonly difference: bigint;
  /** The part of the difference that open payouts don't explain. */
  readonly unexplained: bigint;
};

/**
 * Compares the day's closing balance with the bank's statement. The bank may already have paid
 * payouts whose money is still held in the ledger. The bank's balance may therefore be lower, by at
 * most the held amount.
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

/** Returns the day before the day of `time`, in UTC. */
export function dayBefore(time: Date): string {
  return dayOf(new Date(time.getTime() - dayMs));
}

/** Returns the amount that the account lacks to pay all waiting payouts, in minor units. */
export function missingFor(waiting: bigint, available: bigint): bigint {
  if (waiting === 0n) return 0n;
  const missing = waiting - available;
  return missing > 0n ? missing : 0n;
}
