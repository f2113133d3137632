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
  readonly path: string;
  readonly tries: { readonly code: string; readonly at: number }[];
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
    beginRepeat: (path: string): Repeat => {
      requests += 1;
      const repeat: Repeat = { from: performance.now(), to: undefined, path, tries: [] };
      repeats.push(repeat);
      return repeat;
    },
    /** Notes the error code of a response. It is empty for a success. */
    noteTry: (repeat: Repeat, code: string): void => {
      repeat.tries.push({ code, at: performance.now() });
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
    /** Describes the longest repetition: its path, when it began, and when each code was received. */
    longestRepeat: (from: number, to: number): string => {
      const [longest] = touching(from, to).sort((a, b) => durationOf(b) - durationOf(a));
      return longest === undefined ? "" : textOf(longest);
    },
  };
}

/** Names a code once for successive tries that received it, with the time of the last one. */
function textOf({ path, from, tries }: Repeat): string {
  const changes = tries.filter(({ code }, at) => code !== tries[at + 1]?.code);
  const times = changes.map(({ code, at }) => {
    return `${code || "success"} until ${Math.round(at - from)} ms`;
  });
  const began = new Date(performance.timeOrigin + from).toISOString();
  return `${path}, begun at ${began}: ${times.join(", ")}`;
}

const endOf = ({ to }: Repeat): number => to ?? performance.now();
const durationOf = (repeat: Repeat): number => endOf(repeat) - repeat.from;

function longestGap(times: readonly number[], from: number, to: number): number {
  const before = times.findLast((time) => time <= from) ?? from;
  const within = times.filter((time) => time > from && time < to);
  const marks = [before, ...within, to];
  return Math.max(...marks.slice(1).map((mark, at) => mark - (marks[at] ?? mark)));
}
