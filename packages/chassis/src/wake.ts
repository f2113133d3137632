import { timerMs } from "./timer.ts";

/**
 * Notifies a waiting task that there is work. It is created first and passed to both the notifier
 * and the waiting task, so that neither depends on the other.
 */
export type Wake = {
  /** Wakes one waiting task. If none waits, the next wait ends immediately. */
  notify(): void;
  /**
   * Waits for a notification and then resolves to `true`. Also resolves after `ms`, or when the
   * signal aborts.
   */
  next(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Takes a notification that came while no task waited. Returns true if there was one. */
  take(): boolean;
};

export function createWake(): Wake {
  /** The task that began to wait last wakes first, so that the others can rest longer. */
  const waiting: ((isNotified: boolean) => void)[] = [];
  let isPending = false;
  const take = (): boolean => {
    const wasPending = isPending;
    isPending = false;
    return wasPending;
  };
  return {
    take,
    notify: () => {
      const goOn = waiting.pop();
      if (goOn === undefined) isPending = true;
      else goOn(true);
    },
    next: async (ms, signal) => {
      if (take()) return true;
      if (signal?.aborted === true) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const leave = (): void => {
        const at = waiting.indexOf(resolve);
        if (at >= 0) waiting.splice(at, 1);
        resolve(false);
      };
      const timer = setTimeout(leave, timerMs(ms));
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(resolve);
      const isNotified = await promise;
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      return isNotified;
    },
  };
}
