import type { Verdict } from "@disburse/harness/scenario.ts";
import type { World } from "./world.ts";

/** The options of `npm run test:rails`. */
export type RailOptions = {
  /** Tries of each gap between two steps. */
  readonly perGap: number;
  /** Payments of the large files. */
  readonly large: number;
  readonly seed: number;
};

/** Something that rails have to hold, tried against their counterparts. */
export type RailCase = {
  /** For `--only`. */
  readonly name: string;
  readonly about: string;
  /** Why it cannot be tried here; `undefined` where it can. */
  readonly unavailable: () => string | undefined;
  /** Tries it, one part after the other; what it hurt is up again when it returns. */
  readonly run: (world: World, options: RailOptions) => AsyncIterable<Verdict>;
};
