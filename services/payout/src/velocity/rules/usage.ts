import { type Ask, type Exceeded, exceeded, type Limit, type Part, windowMs } from "./window.ts";

/** A reservation whose payout is not known to exist yet. */
export type Open = {
  readonly quoteId: string;
  readonly accountId: string;
  /** Executes of the payout that rely on the reservation. */
  readonly attempts: number;
  /** When the sweep looks whether the payout exists. */
  readonly lookAt: Date;
};

/** Room that is reserved for a payout, under its id. */
export type Reservation = Part & {
  readonly payoutId: string;
  /** Absent once the payout exists. */
  readonly open?: Open;
};

/** The payouts that count for a subject, of the last 24 hours. */
export type Usage = {
  /** The newest, one by one, oldest first. */
  readonly reservations: readonly Reservation[];
  /** Those before, by currency and time. */
  readonly sums: readonly Part[];
};

/** Nothing is reserved. */
export const unused: Usage = { reservations: [], sums: [] };

/** A payout that needs room. */
export type AskedRoom = Ask & Pick<Reservation, "payoutId"> & Pick<Open, "quoteId" | "accountId">;

/**
 * Reservations that are kept one by one; the document that has them stays under 200 KB. Older ones
 * are added up: a payout that fails after a thousand others of its subject gives no room back
 * before it has left the window.
 */
export const singleMax = 1_000;
/** The time that a sum spans: so long may it count longer than its payouts would. */
const sumMs = 300_000;
/** No execute runs for so long; after it the sweep looks for the payout. */
export const lookAfterMs = 5_000;

/** The times, amounts and counts that limits are compared with, oldest first. */
export function partsOf({ sums, reservations }: Usage): Part[] {
  return [...sums, ...reservations];
}

/** Reserves room under a payout's id where all limits have it; a repeat joins the reservation. */
export function reserve(
  usage: Usage,
  limits: readonly Limit[],
  asked: AskedRoom,
  databaseNow: Date,
): { readonly usage: Usage; readonly answer: "reserved" | Exceeded } {
  const { payoutId, currency, amount } = asked;
  if (usage.reservations.some((each) => each.payoutId === payoutId)) {
    return { usage: changed(usage, payoutId, joined), answer: "reserved" };
  }
  const now = notBefore(usage, databaseNow);
  const lacking = exceeded(partsOf(usage), limits, { currency, amount }, now);
  if (lacking !== undefined) return { usage, answer: lacking };
  return { usage: entered(usage, asked, now), answer: "reserved" };
}

/** The payouts counted before a payout, and the time of its own count. */
export type Counted = { readonly before: readonly Part[]; readonly at: Date };

/**
 * Counts a payout under its id; nothing refuses it. A repeat joins its first try, and returns the
 * payouts counted before that. Of payouts counted at once, each returns those before it.
 */
export function count(
  usage: Usage,
  asked: AskedRoom,
  databaseNow: Date,
): { readonly usage: Usage; readonly answer: Counted } {
  const { sums, reservations } = usage;
  const own = reservations.findIndex(({ payoutId }) => payoutId === asked.payoutId);
  const found = reservations[own];
  if (found !== undefined) {
    const before = [...sums, ...reservations.slice(0, own)];
    return { usage: changed(usage, asked.payoutId, joined), answer: { before, at: found.at } };
  }
  const at = notBefore(usage, databaseNow);
  return { usage: entered(usage, asked, at), answer: { before: partsOf(usage), at } };
}

/** The time of a new reservation: never before the newest one, even if a clock was set back. */
function notBefore(usage: Usage, databaseNow: Date): Date {
  return new Date(Math.max(databaseNow.getTime(), newestAt(usage)));
}

/** The usage with a new reservation, the newest. */
function entered(usage: Usage, asked: AskedRoom, at: Date): Usage {
  const { payoutId, currency, amount, quoteId, accountId } = asked;
  const lookAt = new Date(at.getTime() + lookAfterMs);
  const open = { quoteId, accountId, attempts: 1, lookAt };
  const made = { payoutId, at, currency, count: 1, amount, open };
  return summed(pruned({ ...usage, reservations: [...usage.reservations, made] }, at));
}

/** Ends an execute that was refused after it had reserved; the last one gives the room back. */
export function giveUp(usage: Usage, payoutId: string): Usage {
  return changed(usage, payoutId, (each) => {
    if (each.open === undefined) return each;
    const attempts = each.open.attempts - 1;
    return attempts === 0 ? undefined : { ...each, open: { ...each.open, attempts } };
  });
}

/** Gives back the room of a payout that failed; nothing is left to do for a repeat. */
export function giveBack(usage: Usage, payoutId: string): Usage {
  return changed(usage, payoutId, () => undefined);
}

/** What the sweep found of an open reservation: its payout, nothing that can become it, neither. */
export type Fate = "exists" | "abandoned" | "undecided";

/** Closes, gives back or looks later at open reservations, and forgets what no window has. */
export function settle(usage: Usage, fates: ReadonlyMap<string, Fate>, now: Date): Usage {
  const lookAt = new Date(now.getTime() + lookAfterMs);
  const reservations = usage.reservations.flatMap((each) => {
    const { open, ...closed } = each;
    const fate = fates.get(each.payoutId);
    if (open === undefined || fate === undefined) return each;
    if (fate === "abandoned") return [];
    return fate === "exists" ? closed : { ...closed, open: { ...open, lookAt } };
  });
  return pruned({ ...usage, reservations }, now);
}

/** When the sweep has to look at a usage; `undefined` where nothing is used. */
export function dueAt(usage: Usage): Date | undefined {
  if (newestAt(usage) === 0) return undefined;
  const looks = usage.reservations.flatMap(({ open }) => (open ? [open.lookAt.getTime()] : []));
  return new Date(Math.min(newestAt(usage) + windowMs.day, ...looks));
}

/** When room was last reserved; 0 where nothing is. */
function newestAt({ reservations, sums }: Usage): number {
  return (reservations.at(-1) ?? sums.at(-1))?.at.getTime() ?? 0;
}

function joined(reservation: Reservation): Reservation {
  const { open } = reservation;
  if (open === undefined) return reservation;
  return { ...reservation, open: { ...open, attempts: open.attempts + 1 } };
}

/** The usage with one reservation changed or taken out; the same where that changes nothing. */
function changed(
  usage: Usage,
  payoutId: string,
  change: (reservation: Reservation) => Reservation | undefined,
): Usage {
  const before = usage.reservations.find((each) => each.payoutId === payoutId);
  const after = before && change(before);
  if (before === after) return usage;
  const reservations = usage.reservations.flatMap((each) =>
    each === before ? (after ?? []) : each,
  );
  return { ...usage, reservations };
}

/** Without what the longest window has no more. */
function pruned({ reservations, sums }: Usage, now: Date): Usage {
  const counts = ({ at }: Pick<Part, "at">) => at.getTime() + windowMs.day > now.getTime();
  return { reservations: reservations.filter(counts), sums: sums.filter(counts) };
}

/** With the oldest reservations added up where there are too many. */
function summed(usage: Usage): Usage {
  const excess = usage.reservations.length - singleMax;
  if (excess <= 0) return usage;
  const sums = usage.reservations.slice(0, excess).reduce(added, usage.sums);
  return { reservations: usage.reservations.slice(excess), sums };
}

/** Sums with a reservation that is newer than they are; they stay sorted by time. */
function added(sums: readonly Part[], { at, currency, amount }: Reservation): Part[] {
  const slotOf = (time: Date) => Math.floor(time.getTime() / sumMs);
  const same = sums.find((each) => each.currency === currency && slotOf(each.at) === slotOf(at));
  const sum = {
    at,
    currency,
    count: (same?.count ?? 0) + 1,
    amount: (same?.amount ?? 0n) + amount,
  };
  return [...sums.filter((each) => each !== same), sum];
}
