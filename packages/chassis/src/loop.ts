import type { Log } from "./log.ts";

/** Background work with a lifetime: a sweep, a relay, a worker. */
export type Loop = {
  /** Runs again as soon as the present run ends. */
  wake(): void;
  /** Stops after the present run. */
  stop(): Promise<void>;
};

/** What a loop runs, and how often. */
export type LoopOptions = {
  readonly name: string;
  /** The pause after a run that found nothing more to do, or failed. */
  readonly everyMs: number;
  /** One run; answers whether there is more to do at once. An error is logged and retried. */
  readonly run: () => Promise<boolean>;
  readonly log: Log;
};

/** Starts background work that runs until it is stopped. The first run is at once. */
export function startLoop({ name, everyMs, run, log }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  let wakeUp = (): void => undefined;
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const runOnce = () =>
    run().catch((error: unknown) => {
      log.error({ err: error, loop: name }, "background run failed");
      return "failed" as const;
    });
  const work = async () => {
    while (!stopping) {
      woken = false;
      const more = await runOnce();
      if (stopping) return;
      if (more === true || (woken && more !== "failed")) continue;
      await pause();
    }
  };
  const ended = work();
  return {
    wake: () => {
      woken = true;
      wakeUp();
    },
    stop: () => {
      stopping = true;
      wakeUp();
      return ended;
    },
  };
}
