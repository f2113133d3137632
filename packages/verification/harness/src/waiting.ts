import { setTimeout as pause } from "node:timers/promises";

/** Looks every so often until it is done, or too late; answers whether it was done. */
export async function until(
  isDone: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs }: { readonly timeoutMs: number; readonly everyMs: number },
): Promise<boolean> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) return false;
    await pause(everyMs);
  }
  return true;
}

/** Whether something settles within a time. */
export async function settlesWithin(what: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Symbol("late");
  return (await Promise.race([what, pause(ms, late)])) !== late;
}

/** Clients that repeat a step, each for itself, from `start` until `drain`. */
export function createLoop(step: () => Promise<void>, clients: number) {
  let isGoing = false;
  let running: Promise<void>[] = [];
  const client = async (): Promise<void> => {
    while (isGoing) await step();
  };
  return {
    /** Lets the clients begin, or go on. */
    start: () => {
      if (isGoing) return;
      isGoing = true;
      running = Array.from({ length: clients }, client);
    },
    /** Lets every client finish what it has begun. */
    drain: async () => {
      isGoing = false;
      await Promise.all(running);
    },
  };
}
