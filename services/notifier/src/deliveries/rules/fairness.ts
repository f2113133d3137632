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
  /** Who else takes from the same slots; "" where it is not known yet. */
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

/**
 * Shares free slots among endpoints that have something due: a page each in turn, beginning after
 * the endpoint served last, until the slots or every endpoint's and merchant's room are used up.
 */
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
  let given = true;
  while (left > 0 && given) {
    given = false;
    for (const { endpointId, merchantId, room } of turn) {
      const share = shares.get(endpointId) ?? 0;
      const taken = ofMerchants.get(merchantId) ?? 0;
      const roomOfMerchant = merchantId === "" ? pageMax : merchantRoom(merchantId) - taken;
      const page = Math.min(pageMax, room - share, roomOfMerchant, left);
      if (page <= 0 || (merchantId === "" && share > 0)) continue;
      shares.set(endpointId, share + page);
      ofMerchants.set(merchantId, merchantId === "" ? 0 : taken + page);
      left -= page;
      given = true;
    }
  }
  return shares;
}
