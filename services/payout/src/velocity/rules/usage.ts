import { type Ask, type Exceeded, exceeded, type Limit, type Part, windowMs } from "./window.ts";

/** A reservation without a known payout. */
export type Open = {
  readonly quoteId: string;
  readonly accountId: string;
  /** The number of executes that rely on the reservation. */
  readonly attempts: number;
  /** The time of the sweep's next check for the payout. */
  readonly checkAt: Date;
};

export type Reservation = Part & {
  readonly payoutId: string;
  /** Present until the payout exists. The sweep uses it. */
  readonly open?: Open;
};

/** A subject's payouts in the last 24 hours. */
export type Usage = {
  /** The newest payouts, one by one, oldest first. */
  readonly reservations: readonly Reservation[];
  /** Older payouts, summed by currency and time. */
  readonly sums: readonly Part[];
};

export const unused: Usage = { reservations: [], sums: [] };

export type ReservationRequest = Ask &
  Pick<Reservation, "payoutId"> &
  Pick<Open, "quoteId" | "accountId">;

/**
 * Limits the reservations that are stored one by one, which keeps a document under 200 KB. Older
 * ones are summed. If a payout fails after a thousand others of its subject, its amount therefore
 * counts until the window has passed.
 */
export const singleMax = 1_000;
/** The time span of a sum. Its payouts may count longer than their window by this much. */
const sumMs = 300_000;
/** No execute runs longer than this. Then the sweep checks for the payout. */
export const checkAfterMs = 5_000;

/** Returns the parts that limits are compared with, oldest first. */
export function partsOf({ sums, reservations }: Usage): Part[] {
  return [...sums, ...reservations];
}

/** Reserves limits by payout id if all limits allow it. A repeat joins the reservation. */
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

/** The payouts counted before this one, and the time of its own count. */
export type Counted = { readonly earlier: readonly Part[]; readonly at: Date };

/**
 * Counts a payout by its id and never refuses. A repeat returns the payouts counted before the
 * first attempt. Concurrent counts are ordered: each returns the earlier ones.
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

/** Returns a time not before the newest reservation, even if a clock was set back. */
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
 * Ends an execute that was refused after its reservation. The last one releases the reservation.
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

/** The sweep's result for an open reservation: `abandoned` if no payout can use it any more. */
export type ReservationOutcome = "exists" | "abandoned" | "undecided";

/** Closes, releases or postpones open reservations, and removes those outside every window. */
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

/** Returns the time of the newest reservation, or 0 without one. */
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

/** Sums the oldest reservations if there are too many. */
function summed(usage: Usage): Usage {
  const excess = usage.reservations.length - singleMax;
  if (excess <= 0) return usage;
  const sums = usage.reservations.slice(0, excess).reduce(added, usage.sums);
  return { reservations: usage.reservations.slice(excess), sums };
}

/** Adds a reservation that is newer than the sums, which stay sorted by time. */
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
