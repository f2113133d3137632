/** How many attempts may run at once, and how many are claimed in one go. */
export type Slots = {
  /** In a process: more sockets gain nothing on one core. */
  readonly processMax: number;
  /** Of one merchant, however many endpoints it has. */
  readonly merchantMax: number;
  /** Of endpoints whose circuit is open, all together: asking them is no one's urgent need. */
  readonly openMax: number;
  /** Of deliveries that have waited: the others are for what is fresh. */
  readonly claimedMax: number;
  /** What an endpoint is given in its turn. */
  readonly pageMax: number;
};

/** An endpoint with something due. */
export type Candidate = {
  readonly endpointId: string;
  /** Slots that it may still take. */
  readonly room: number;
  /** Whose slots it shares; "" while unknown. */
  readonly merchantId: string;
};

/** A part of every limit is left to what is fresh, so that a backlog delays no news. */
export function claimable(limit: number): number {
  return limit - Math.floor(limit / 4);
}

/** What fresh deliveries may take of an endpoint's limit: all, or less where older ones wait. */
export function admissible(limit: number, hasBacklog: boolean): number {
  return hasBacklog ? limit - Math.max(1, Math.floor(limit / 4)) : limit;
}

/** Of so many slots for which both sides wait, one is the backlog's: the quarter of every limit. */
const turnLength = 4;

/** What fresh deliveries and a backlog want of a process's slots, or are given. */
export type Sides = { readonly fresh: number; readonly backlog: number };

/**
 * Shares free slots between fresh deliveries and a backlog by weighted round-robin, three to one;
 * what one side does not want is the other's. `turn` goes on where the call before ended, so that
 * neither side starves, however few slots are free at a time.
 */
export function takeTurns(
  free: number,
  wanted: Sides,
  turn: number,
): { readonly given: Sides; readonly turn: number } {
  let [left, fresh, backlog, next] = [free, 0, 0, turn];
  for (; left > 0 && fresh < wanted.fresh && backlog < wanted.backlog; left -= 1) {
    if (next === turnLength - 1) backlog += 1;
    else fresh += 1;
    next = (next + 1) % turnLength;
  }
  const moreFresh = Math.min(left, wanted.fresh - fresh);
  const moreBacklog = Math.min(left - moreFresh, wanted.backlog - backlog);
  return { given: { fresh: fresh + moreFresh, backlog: backlog + moreBacklog }, turn: next };
}

/**
 * How many of the next `count` claims of a failing endpoint are for retries, every second one:
 * behind the first attempts of a long backlog no retry could show that the endpoint takes them.
 */
export function retryTurns(count: number, turn: number): number {
  return Math.floor((count + 1 - (turn % 2)) / 2);
}

/** The next `count` to claim: the retries, then what is due longest. */
export function inTurns<T extends { readonly _id: string }>(
  due: readonly T[],
  retries: readonly T[],
  count: number,
): T[] {
  const taken = new Set(retries.map(({ _id }) => _id));
  return [...retries, ...due.filter(({ _id }) => !taken.has(_id))].slice(0, count);
}

/** What a backlog has in any case of its slots: fresh deliveries never take these meanwhile. */
export function guaranteedShare(claimedMax: number): number {
  return Math.max(1, Math.floor(claimedMax / 8));
}

/** Shares free slots among endpoints: a page each in turn, beginning after the one served last. */
export function allot(
  due: readonly Candidate[],
  free: number,
  merchantRoom: (merchantId: string) => number,
  pageMax: number,
  servedLast: string,
): Map<string, number> {
  const sorted = due.toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1));
  const after = sorted.filter(({ endpointId }) => endpointId > servedLast);
  const turn = [...after, ...sorted.filter(({ endpointId }) => endpointId <= servedLast)];
  const shares = new Map<string, number>();
  const ofMerchants = new Map<string, number>();
  let left = free;
  let given: boolean;
  do {
    given = false;
    for (const { endpointId, merchantId, room } of turn) {
      const share = shares.get(endpointId) ?? 0;
      const taken = ofMerchants.get(merchantId) ?? 0;
      const roomOfMerchant = merchantId === "" ? pageMax : merchantRoom(merchantId) - taken;
      const page = Math.min(pageMax, room - share, roomOfMerchant, left);
      if (page <= 0 || (merchantId === "" && share > 0)) continue;
      shares.set(endpointId, share + page);
      ofMerchants.set(merchantId, taken + page);
      left -= page;
      given = true;
    }
  } while (given);
  return shares;
}
