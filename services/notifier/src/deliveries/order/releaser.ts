import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { createGatherer } from "../dispatch/gatherer.ts";
import { retried } from "../dispatch/retried.ts";
import type { LineStore } from "./store.ts";

/** One look goes through this many lines. */
const groupMax = 256;

export type ReleaserDeps = {
  readonly lines: Pick<LineStore, "release">;
  readonly clock: Clock;
  readonly log: Log;
  /** Something of these endpoints is due now. */
  readonly due: (endpointIds: Iterable<string>) => void;
};

export type Releaser = {
  /** Soon lets go what waits in these lines for nothing any more. */
  release(lines: Iterable<string>): void;
  /** Resolves when there is no line left to look at. */
  idle(): Promise<void>;
};

/** Looks at lines in which something was settled or has arrived. */
export function createReleaser({ lines, clock, log, due }: ReleaserDeps): Releaser {
  const gatherer = createGatherer<string>(groupMax, (group) =>
    retried(
      async () => due(await lines.release([...new Set(group)], clock.now())),
      (error) => log.error({ err: error, count: group.length }, "lines not looked at"),
    ),
  );
  return {
    release: (stirred) => {
      for (const line of new Set(stirred)) gatherer.add(line);
    },
    idle: gatherer.idle,
  };
}
