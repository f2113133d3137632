import type { RailOptions } from "./options.ts";
import type { World } from "./world.ts";

/** What one part of a case found. */
export type Verdict = {
  readonly name: string;
  /** Empty where all was as it should be. */
  readonly problems: readonly string[];
  /** What was measured, in a line. */
  readonly figures?: string;
  /** Why it could not be tried here. */
  readonly skipped?: string;
};

/** Something that rails have to hold, tried against their counterparts. */
export type RailCase = {
  /** For `--only`. */
  readonly name: string;
  readonly about: string;
  /**
   * Tries it, one part after the other; what it hurt is up again when it returns. `open` starts the
   * world that cases share, once.
   */
  readonly run: (open: () => Promise<World>, options: RailOptions) => AsyncIterable<Verdict>;
};
