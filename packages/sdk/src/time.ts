import { setTimeout as wait } from "node:timers/promises";

/** The clock, random numbers and waits of a caller. */
export type Time = {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** A random number in [0, 1). */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it aborts first. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
};

export const realTime: Time = {
  now: () => performance.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    wait<void>(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    }),
};

/** A signal that aborts after a time limit, or when the caller's signal aborts. */
export type Deadline = {
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** Releases the timer and the listener on the caller's signal. */
  end(): void;
};

/**
 * Starts a deadline. In the oldest supported Node, each `AbortSignal.any` would leak a listener on
 * the caller's signal.
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
