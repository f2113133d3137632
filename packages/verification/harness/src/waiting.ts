import { setTimeout as pause } from "node:timers/promises";

/** Polls until done or timed out. Returns whether it was done. */
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

export async function settlesWithin(what: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Symbol("late");
  return (await Promise.race([what, pause(ms, late)])) !== late;
}

/** Creates clients that each repeat a step, from `start` until `drain`. */
export function createLoop(step: () => Promise<void>, clients: number) {
  let isGoing = false;
  let running: Promise<void>[] = [];
  const client = async (): Promise<void> => {
    while (isGoing) await step();
  };
  return {
    start: () => {
      if (isGoing) return;
      isGoing = true;
      running = Array.from({ length: clients }, client);
    },
    drain: async () => {
      isGoing = false;
      await Promise.all(running);
    },
  };
}
