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

/** Something that operators rely on, tried on real processes. */
export type OperateCase = {
  /** For `--only`. */
  readonly name: string;
  readonly about: string;
  /** Tries it, one part after the other; what it started has ended when it returns. */
  readonly run: (parts: ReadonlySet<string>) => AsyncIterable<Verdict>;
};
