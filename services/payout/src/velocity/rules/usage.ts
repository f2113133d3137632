import { type Ask, type Exceeded, exceeded, type Limit, type Part, windowMs } from "./window.ts";

/** The part of a reservation that exists until its payout is known to exist. */
export type Open = {
  readonly quoteId: string;
  readonly accountId: string;
  /** The number of executes that rely on the reservation. */
  readonly attempts: number;
  /** The time at which the sweep next checks whether the payout exists. */
  readonly checkAt: Date;
};

export type Reservation = Part & {
  /** The id under which the payout's money is held (`holdIdOf`). */
  readonly payoutId: string;
  /** Present until the payout is known to exist. The sweep uses it to find out. */
  readonly open?: Open;
};

/** A subject's payouts in the last 24 hours. */
export type Usage = {
  /** The newest payouts, stored one by one, oldest first. */
  readonly reservations: readonly Reservation[];
  /** Older payouts, summed by currency and time. */
  readonly sums: readonly Part[];
};

export const unused: Usage = { reservations: [], sums: [] };

export type ReservationRequest = Ask &
  Pick<Reservation, "payoutId"> &
  Pick<Open, "quoteId" | "accountId">;

/**
 * The maximum number of reservations that are stored one by one, which keeps a document under 200
 * KB. Older ones are summed and can't be released individually. A payout that fails after a
 * thousand newer ones of its subject therefore counts until the window has passed.
 */
export const singleMax = 1_000;
/** The time span of a sum. Payouts in a sum may count up to this much longer than their window. */
const sumMs = 300_000;
/**
 * No execute runs longer than this. After this time, the sweep checks whether the payout exists.
 */
export const checkAfterMs = 5_000;

/** Returns the sums and single reservations that count towards limits, oldest first. */
export function partsOf({ sums, reservations }: Usage): Part[] {
  return [...sums, ...reservations];
}

/**
 * Reserves limits under the payout's id, if all limits allow the payout. A repeat shares the first
 * reservation.
 */
export function reserve(
  usage: Usage,
  limits: readonly Limit[],
  request: ReservationRequest,
  databaseNow: Date,
): { readonly usage: Usage; readonly answer: "reserved" | Exceeded } {
  const { payoutId, currency, amount } = request;
  if (usage.reservations.some((each) => each.payoutId === payoutId)) {
    return { usage: changed(usage, payoutId, joined), answer: "reserved" };
  }
  const now = notBefore(usage, databaseNow);
  const lacking = exceeded(partsOf(usage), limits, { currency, amount }, now);
  if (lacking !== undefined) return { usage, answer: lacking };
  return { usage: entered(usage, request, now), answer: "reserved" };
}

/**
 * The payouts that were counted before a payout, and the time at which the payout itself was
 * counted.
 */
export type Counted = { readonly earlier: readonly Part[]; readonly at: Date };

/**
 * Counts a payout under its id. Never refuses. A repeat returns the payouts that were counted
 * before the first attempt. Concurrent counts are put in order: each one returns the earlier ones.
 */
export function count(
  usage: Usage,
  request: ReservationRequest,
  databaseNow: Date,
): { readonly usage: Usage; readonly answer: Counted } {
  const { sums, reservations } = usage;
  const own = reservations.findIndex(({ payoutId }) => payoutId === request.payoutId);
  const found = reservations[own];
  if (found !== undefined) {
    const earlier = [...sums, ...reservations.slice(0, own)];
    return { usage: changed(usage, request.payoutId, joined), answer: { earlier, at: found.at } };
  }
  const at = notBefore(usage, databaseNow);
  return { usage: entered(usage, request, at), answer: { earlier: partsOf(usage), at } };
}

/**
 * Returns the database's time, but never a time before the newest reservation: a clock may have
 * been set back.
 */
function notBefore(usage: Usage, databaseNow: Date): Date {
  return new Date(Math.max(databaseNow.getTime(), newestAt(usage)));
}

function entered(usage: Usage, request: ReservationRequest, at: Date): Usage {
  const { payoutId, currency, amount, quoteId, accountId } = request;
  const checkAt = new Date(at.getTime() + checkAfterMs);
  const open = { quoteId, accountId, attempts: 1, checkAt };
  const made = { payoutId, at, currency, count: 1, amount, open };
  return summed(pruned({ ...usage, reservations: [...usage.reservations, made] }, at));
}

/**
 * Ends a refused execute's use of a reservation. The last execute that uses the reservation
 * releases it.
 */
export function giveUp(usage: Usage, payoutId: string): Usage {
  return changed(usage, payoutId, (each) => {
    if (each.open === undefined) return each;
    const attempts = each.open.attempts - 1;
    return attempts === 0 ? undefined : { ...each, open: { ...each.open, attempts } };
  });
}

/** Releases the reservation of a failed payout. A repeat changes nothing. */
export function giveBack(usage: Usage, payoutId: string): Usage {
  return changed(usage, payoutId, () => undefined);
}

/**
 * The sweep's result for an open reservation. `abandoned`: no payout can use the reservation any
 * more.
 */
export type ReservationOutcome = "exists" | "abandoned" | "undecided";

/**
 * Closes, releases or postpones open reservations by their outcomes. Also removes reservations that
 * are older than every window.
 */
export function settle(
  usage: Usage,
  outcomes: ReadonlyMap<string, ReservationOutcome>,
  now: Date,
): Usage {
  const checkAt = new Date(now.getTime() + checkAfterMs);
  const reservations = usage.reservations.flatMap((each) => {
    const { open, ...closed } = each;
    const outcome = outcomes.get(each.payoutId);
    if (open === undefined || outcome === undefined) return each;
    if (outcome === "abandoned") return [];
    return outcome === "exists" ? closed : { ...closed, open: { ...open, checkAt } };
  });
  return pruned({ ...usage, reservations }, now);
}

/** Returns the time of the sweep's next check, or `undefined` for an empty usage. */
export function dueAt(usage: Usage): Date | undefined {
  if (newestAt(usage) === 0) return undefined;
  const checkTimes = usage.reservations.flatMap(({ open }) =>
    open ? [open.checkAt.getTime()] : [],
  );
  return new Date(Math.min(newestAt(usage) + windowMs.day, ...checkTimes));
}

/** Returns the time of the newest reservation, or 0 if there is none. */
function newestAt({ reservations, sums }: Usage): number {
  return (reservations.at(-1) ?? sums.at(-1))?.at.getTime() ?? 0;
}

function joined(reservation: Reservation): Reservation {
  const { open } = reservation;
  if (open === undefined) return reservation;
  return { ...reservation, open: { ...open, attempts: open.attempts + 1 } };
}

/** Changes or removes one reservation. Returns the same usage if nothing changes. */
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

/** Removes payouts that are older than the longest window. */
function pruned({ reservations, sums }: Usage, now: Date): Usage {
  const counts = ({ at }: Pick<Part, "at">) => at.getTime() + windowMs.day > now.getTime();
  return { reservations: reservations.filter(counts), sums: sums.filter(counts) };
}

/** Moves the oldest reservations into sums if there are more than `singleMax`. */
function summed(usage: Usage): Usage {
  const excess = usage.reservations.length - singleMax;
  if (excess <= 0) return usage;
  const sums = usage.reservations.slice(0, excess).reduce(added, usage.sums);
  return { reservations: usage.reservations.slice(excess), sums };
}

/**
 * Adds a reservation to the sums. It must be newer than all of them, so that they stay sorted by
 * time.
 */
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
