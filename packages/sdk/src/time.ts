import { setTimeout as wait } from "node:timers/promises";

/** The clock, chance and waiting of a caller. */
export type Time = {
  /** Milliseconds that only grow. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that is sooner. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
};

/** The machine's own. */
export const realTime: Time = {
  now: () => performance.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    wait<void>(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    }),
};

/** A signal that fires after a time, or when the caller's own does. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Whether the time is over. */
  isOver(): boolean;
  /** Lets go of the timer and of the caller's signal. */
  end(): void;
};

/**
 * Starts a deadline. `AbortSignal.any` would do, but in the oldest supported Node each use of it
 * leaks a listener on the caller's signal.
 */
export function startDeadline(ms: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(
    () => {
      isOver = true;
      controller.abort();
    },
    Math.max(0, ms),
  );
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
