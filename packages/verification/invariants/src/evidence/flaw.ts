export type Flaw = {
  readonly kind: FlawKind;
  /** The service whose database or statements have the flaw. */
  readonly service: string;
  /** `audit entry 7`, `entry 3 of acc_…`, `statement 12 of payout`. */
  readonly subject: string;
  /** Contains ids and numbers, no personal data. */
  readonly detail: string;
};

/**
 * `changed`: the hash doesn't match the fields. `missing`: the record is absent between others.
 * `cut`: records are absent at the end. `reordered`: the record is in another record's place.
 * `rewritten`: the record is consistent, but differs from the shipped one. `unsigned`: no known key
 * signed it. `overlaid`: the sink's bucket has a newer version or a delete marker over an object.
 * The original object is still checked.
 */
export type FlawKind =
  | ("changed" | "missing" | "cut" | "reordered" | "rewritten")
  | ("unsigned" | "overlaid");

/** The lines read from a sink, and the flaws of the sink itself. */
export type SinkContents = {
  readonly lines: readonly string[];
  readonly flaws: readonly Flaw[];
};
