/** What is wrong with a record, or with what was shipped. */
export type Flaw = {
  readonly kind: FlawKind;
  /** Whose database or statements. */
  readonly service: string;
  /** `audit entry 7`, `entry 3 of acc_…`, `statement 12 of payout`. */
  readonly subject: string;
  /** In words; ids and numbers alone. */
  readonly detail: string;
};

/**
 * `changed`: its hash is not that of its fields. `missing`: between others. `cut`: at the end.
 * `reordered`: it stands in another one's place. `rewritten`: whole in itself, and another than
 * the one that was shipped. `unsigned`: of no key that is known. `overlaid`: in the sink's bucket
 * something was put over an object, or hides it; what was there is read all the same.
 */
export type FlawKind =
  | ("changed" | "missing" | "cut" | "reordered" | "rewritten")
  | ("unsigned" | "overlaid");

/** What is in a sink. */
export type SinkContents = {
  /** In any order. */
  readonly lines: readonly string[];
  /** What is wrong with the sink itself. */
  readonly flaws: readonly Flaw[];
};
