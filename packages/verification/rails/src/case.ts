import type { Verdict } from "@disburse/harness/scenario.ts";
import type { World } from "./world.ts";

export type RailOptions = {
  readonly perGap: number;
  readonly large: number;
  readonly seed: number;
};

/** A requirement for rails, tested against their counterparts. */
export type RailCase = {
  readonly name: string;
  readonly about: string;
  /** Returns the reason if this case can't run here. */
  readonly unavailable: () => string | undefined;
  /** Runs the checks in order. Restarts everything that the case stopped. */
  readonly run: (world: World, options: RailOptions) => AsyncIterable<Verdict>;
};
