export type Flaw = {
  readonly kind: FlawKind;
  /** The owner of the database or statements. */
  readonly service: string;
  /** `audit entry 7`, `entry 3 of acc_…`, `statement 12 of payout`. */
  readonly subject: string;
  /** Contains ids and numbers, no personal data. */
  readonly detail: string;
};

/**
 * `changed`: the hash doesn't match the fields. `missing`: absent between others. `cut`: absent at
 * the end. `reordered`: in another record's place. `rewritten`: consistent, but different from the
 * shipped one. `unsigned`: not signed by a known key. `overlaid`: the sink's bucket has a newer
 * version or delete marker over an object, whose original is still checked.
 */
export type FlawKind =
  | ("changed" | "missing" | "cut" | "reordered" | "rewritten")
  | ("unsigned" | "overlaid");

/** The lines read from a sink, with its own flaws. */
export type SinkContents = {
  readonly lines: readonly string[];
  readonly flaws: readonly Flaw[];
};
