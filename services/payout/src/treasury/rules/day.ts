/** What the movements of a day add up to at a rail account, in minor units. */
export type DayMovements = {
  /** Available and held together, before the day's first movement. */
  readonly opening: bigint;
  readonly funded: bigint;
  readonly swept: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  readonly charges: bigint;
  /** Available and held together, after its last one. */
  readonly closing: bigint;
  /** Of the closing. */
  readonly held: bigint;
};

/** How a bank's closing balance of a day differs from ours. */
export type Difference = {
  /** The bank's less ours. */
  readonly difference: bigint;
  /** The part of it that payouts under way do not explain. */
  readonly unexplained: bigint;
};

/**
 * Compares the closing of a day with its bank's statement. A payout that the bank has paid and
 * whose settlement came in later is still held: so the bank may have less than we, by what is held
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

/** Whether the movements of a day lead from its opening to its closing. */
export function addsUp(day: DayMovements): boolean {
  const { opening, funded, swept, paid, returned, charges, closing } = day;
  return opening + funded - swept - paid + returned - charges === closing;
}

/** A day of a report. */
export type Day = { readonly text: string; readonly from: Date; readonly to: Date };

const dayMs = 24 * 60 * 60 * 1_000;

/** Reads a day, `yyyy-mm-dd` in UTC; `undefined`: it is none. */
export function readDay(text: string): Day | undefined {
  const from = new Date(`${text}T00:00:00.000Z`);
  if (Number.isNaN(from.getTime()) || dayOf(from) !== text) return undefined;
  return { text, from, to: new Date(from.getTime() + dayMs) };
}

/** The day that a time is in, in UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, "yyyy-mm-dd".length);
}

/** The day before the one that a time is in. */
export function dayBefore(time: Date): string {
  return dayOf(new Date(time.getTime() - dayMs));
}

/** What has to arrive so that everything that waits is covered; minor units. */
export function missingFor(waiting: bigint, available: bigint): bigint {
  if (waiting === 0n) return 0n;
  const missing = waiting - available;
  return missing > 0n ? missing : 0n;
}
