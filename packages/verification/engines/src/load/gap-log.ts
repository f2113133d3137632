export type Gaps = {
  /** Longest time at any gateway between two new requests that succeeded. */
  readonly newMs: number;
  /** Longest time that a client repeated a request until its final answer. */
  readonly repeatingMs: number;
};

type Repeat = {
  readonly from: number;
  /** `undefined` as long as the request is repeated. */
  to: number | undefined;
  /** The error codes of its responses. Empty for a success. */
  readonly codes: string[];
};

/** Records when requests succeeded, to measure how long a fault interrupted them. */
export function createGapLog(gateways: number) {
  const successes = Array.from({ length: gateways }, (): number[] => []);
  const repeats: Repeat[] = [];
  let requests = 0;
  const touching = (from: number, to: number) =>
    repeats.filter((each) => endOf(each) >= from && each.from <= to);
  return {
    /** Counts a request. Notes the time of its success at a gateway. */
    noteNew: (gateway: number, succeeded: boolean): void => {
      requests += 1;
      if (succeeded) successes[gateway]?.push(performance.now());
    },
    /** Counts a request that is repeated from now on. */
    beginRepeat: (): Repeat => {
      requests += 1;
      const repeat: Repeat = { from: performance.now(), to: undefined, codes: [] };
      repeats.push(repeat);
      return repeat;
    },
    endRepeat: (repeat: Repeat): void => {
      repeat.to = performance.now();
    },
    requests: (): number => requests,
    /**
     * True if a new request has succeeded at every gateway since then, and the requests that were
     * repeated then have their responses.
     */
    hasRecoveredSince: (since: number): boolean =>
      successes.every((times) => (times.at(-1) ?? 0) > since) &&
      repeats.every(({ from, to }) => to !== undefined || from > since),
    /** Returns the longest gaps that touch the time between `from` and `to`. */
    between: (from: number, to: number): Gaps => ({
      newMs: Math.max(...successes.map((times) => longestGap(times, from, to))),
      repeatingMs: Math.max(0, ...touching(from, to).map(durationOf)),
    }),
    /** Counts the codes that the longest repetition received. */
    codesOfLongest: (from: number, to: number): string[] => {
      const [longest] = touching(from, to).sort((a, b) => durationOf(b) - durationOf(a));
      const codes = (longest?.codes ?? []).filter((code) => code !== "");
      const counts = Object.groupBy(codes, (code) => code);
      return Object.entries(counts).map(([code, all]) => `${code} ${all?.length}`);
    },
  };
}

const endOf = ({ to }: Repeat): number => to ?? performance.now();
const durationOf = (repeat: Repeat): number => endOf(repeat) - repeat.from;

function longestGap(times: readonly number[], from: number, to: number): number {
  const before = times.findLast((time) => time <= from) ?? from;
  const within = times.filter((time) => time > from && time < to);
  const marks = [before, ...within, to];
  return Math.max(...marks.slice(1).map((mark, at) => mark - (marks[at] ?? mark)));
}
