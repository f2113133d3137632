import type { Hook } from "./hook.ts";

/** The process that publishes events, and what it is asked. */
export type LoadCalls = {
  readonly connect: {
    readonly job: { readonly url: string; readonly namespace: string };
    readonly reply: undefined;
  };
  /** An open loop: event n is published at `startsAtMs + n * 1000 / perSecond`, come what may. */
  readonly steady: {
    readonly job: {
      readonly run: string;
      /** In turn. */
      readonly hooks: readonly Hook[];
      readonly startsAtMs: number;
      readonly perSecond: number;
      readonly count: number;
    };
    readonly reply: Lateness;
  };
  /** As many as the broker takes; at most `ahead` more than `received` tells. */
  readonly flood: {
    readonly job: {
      readonly run: string;
      readonly hooks: readonly Hook[];
      readonly count: number;
      readonly endsAtMs: number;
      readonly ahead: number;
    };
    /** How many were published, each confirmed. */
    readonly reply: number;
  };
  /** How many events of the flood have arrived at the receivers. */
  readonly received: { readonly job: number; readonly reply: undefined };
};

/** How much later than it should have an event was handed to the broker. */
export type Lateness = { readonly lateP99Ms: number; readonly lateMaxMs: number };
