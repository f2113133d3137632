/** Limits on the attempts in flight, and on the deliveries in one claim. */
export type Slots = {
  /** Maximum per process. More sockets don't make one core faster. */
  readonly processMax: number;
  /** Maximum per merchant, regardless of how many endpoints the merchant has. */
  readonly merchantMax: number;
  /** Maximum for all endpoints with an open circuit together. Attempts to them are never urgent. */
  readonly openMax: number;
  /**
   * Maximum for deliveries that have waited in the store. The remaining slots are for fresh
   * deliveries.
   */
  readonly claimedMax: number;
  /** Maximum deliveries of one endpoint that a round sends. */
  readonly pageMax: number;
};

export type Candidate = {
  readonly endpointId: string;
  /** Slots that the endpoint may still take. */
  readonly slotsLeft: number;
  /** The merchant whose slots the endpoint uses. `""` while the merchant is unknown. */
  readonly merchantId: string;
};

/**
 * Returns the part of a limit that a backlog may use. A quarter of every limit is reserved for
 * fresh deliveries, so that a backlog doesn't delay them.
 */
export function claimable(limit: number): number {
  return limit - Math.floor(limit / 4);
}

/**
 * Returns the part of an endpoint's limit that fresh deliveries may use. While the endpoint has a
 * backlog, a quarter is reserved for the backlog.
 */
export function admissible(limit: number, hasBacklog: boolean): number {
  return hasBacklog ? limit - Math.max(1, Math.floor(limit / 4)) : limit;
}

/** If fresh deliveries and a backlog both wait for slots, the backlog gets one slot in four. */
const turnLength = 4;

/** The slots of a process that fresh deliveries and a backlog request or get. */
export type Sides = { readonly fresh: number; readonly backlog: number };

/**
 * Divides free slots between fresh deliveries and a backlog by weighted round-robin, three to one.
 * Slots that one side doesn't request go to the other. `turn` continues where the previous call
 * ended. So both sides get slots even if each call has few to divide.
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
 * Returns how many of the next `count` claims of a failing endpoint are for retries. Every second
 * one is. Otherwise a long backlog of first attempts would delay the retry that detects a recovered
 * endpoint.
 */
export function retryTurns(count: number, turn: number): number {
  return Math.floor((count + 1 - (turn % 2)) / 2);
}

/**
 * Returns the next `count` deliveries to claim. Retries come first, then the deliveries that have
 * been due longest.
 */
export function inTurns<T extends { readonly _id: string }>(
  due: readonly T[],
  retries: readonly T[],
  count: number,
): T[] {
  const taken = new Set(retries.map(({ _id }) => _id));
  return [...retries, ...due.filter(({ _id }) => !taken.has(_id))].slice(0, count);
}

/** Returns the minimum slots of a backlog. Fresh deliveries never use these slots. */
export function guaranteedShare(claimedMax: number): number {
  return Math.max(1, Math.floor(claimedMax / 8));
}

/**
 * Divides free slots among endpoints. Each endpoint gets one page per turn. The first turn goes to
 * the endpoint after the one that was served last.
 */
export function allot(
  due: readonly Candidate[],
  free: number,
  merchantSlotsLeft: (merchantId: string) => number,
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
    for (const { endpointId, merchantId, slotsLeft } of turn) {
      const share = shares.get(endpointId) ?? 0;
      const taken = ofMerchants.get(merchantId) ?? 0;
      const merchantLeft = merchantId === "" ? pageMax : merchantSlotsLeft(merchantId) - taken;
      const page = Math.min(pageMax, slotsLeft - share, merchantLeft, left);
      if (page <= 0 || (merchantId === "" && share > 0)) continue;
      shares.set(endpointId, share + page);
      ofMerchants.set(merchantId, taken + page);
      left -= page;
      given = true;
    }
  } while (given);
  return shares;
}
