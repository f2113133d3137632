/** Records when requests succeeded, to measure how long a fault interrupted them. */
export type GapLog = ReturnType<typeof createGapLog>;

export type Gaps = {
  /** Longest time at any gateway between two new requests that succeeded. */
  readonly newMs: number;
  /** Longest time that a client repeated a request until its final answer. */
  readonly repeatingMs: number;
};

export function createGapLog(gateways: number) {
  const successes = Array.from({ length: gateways }, (): number[] => []);
  const repeats: { readonly from: number; readonly to: number }[] = [];
  let requests = 0;
  return {
    /** Counts a request. Notes the time of its success at a gateway. */
    noteNew: (gateway: number, succeeded: boolean): void => {
      requests += 1;
      if (succeeded) successes[gateway]?.push(performance.now());
    },
    /** Notes a request that was repeated since `from` until it was answered now. */
    noteRepeated: (from: number): void => {
      requests += 1;
      repeats.push({ from, to: performance.now() });
    },
    requests: (): number => requests,
    /** True if a new request has succeeded at every gateway since then. */
    hasSucceededSince: (since: number): boolean =>
      successes.every((times) => (times.at(-1) ?? 0) > since),
    /** Returns the longest gaps that touch the time between `from` and `to`. */
    between: (from: number, to: number): Gaps => ({
      newMs: Math.max(...successes.map((times) => longestGap(times, from, to))),
      repeatingMs: Math.max(
        0,
        ...repeats
          .filter((each) => each.to >= from && each.from <= to)
          .map((each) => each.to - each.from),
      ),
    }),
  };
}

function longestGap(times: readonly number[], from: number, to: number): number {
  const before = times.findLast((time) => time <= from) ?? from;
  const within = times.filter((time) => time > from && time < to);
  const marks = [before, ...within, to];
  return Math.max(...marks.slice(1).map((mark, at) => mark - (marks[at] ?? mark)));
}
