/** How many attempts may run at once, and how many are claimed in one go. */
export type Slots = {
  /** In a process: more sockets gain nothing on one core. */
  readonly processMax: number;
  /** To one endpoint: a slow one cannot take the whole process. */
  readonly endpointMax: number;
  /** One claim is one bulk write. */
  readonly claimMax: number;
};

/**
 * Shares free slots among endpoints that have something due: one each in turn, beginning after the
 * endpoint served last, until the slots or every endpoint's own limit are used up.
 */
export function allot(
  due: readonly string[],
  inFlight: ReadonlyMap<string, number>,
  slots: Slots,
  servedLast: string,
): Map<string, number> {
  const running = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
  let free = Math.min(slots.processMax - running, slots.claimMax);
  const after = due.filter((id) => id > servedLast);
  const turn = [...after, ...due.filter((id) => id <= servedLast)];
  const shares = new Map<string, number>();
  let given = true;
  while (free > 0 && given) {
    given = false;
    for (const id of turn) {
      const share = shares.get(id) ?? 0;
      if (free === 0 || (inFlight.get(id) ?? 0) + share >= slots.endpointMax) continue;
      shares.set(id, share + 1);
      free -= 1;
      given = true;
    }
  }
  return shares;
}
