/** A transaction in a block, as one node shows it. */
export type Sighting = {
  /** The transaction's hash. */
  readonly id: string;
  readonly height: number;
  /** The block's hash. */
  readonly block: string;
  readonly succeeded: boolean;
  /**
   * What the recipient got, in units of the chain; `undefined` where nothing on the chain names it.
   */
  readonly received: bigint | undefined;
  /** Whether the node counts the block as final by the chain's setting. */
  readonly isFinal: boolean;
};

/** What a node says of a transaction; `undefined`: it did not answer. */
export type NodeView = Sighting | "absent" | undefined;

/** What the nodes say together. */
export type Verdict =
  /** No node has it in a block. */
  | { readonly kind: "unmined" }
  /** In a block that may still go. */
  | { readonly kind: "mined" }
  /** Nodes show different things: nothing is concluded. */
  | { readonly kind: "disputed" }
  /** Not enough nodes answered. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "final"; readonly sighting: Sighting };

/**
 * What nodes say together of a transaction. It is final where `agreeing` nodes show the same as
 * final and no node shows anything else; a node that does not have it yet is behind, and counts for
 * neither.
 */
export function verdictOf(views: readonly NodeView[], agreeing: number): Verdict {
  const sightings = views.filter((view) => view !== undefined && view !== "absent");
  const [first] = sightings;
  if (first === undefined) {
    const absent = views.filter((view) => view === "absent").length;
    return { kind: absent >= agreeing ? "unmined" : "unanswered" };
  }
  if (sightings.some((each) => !isSame(each, first))) return { kind: "disputed" };
  const final = sightings.filter(({ isFinal }) => isFinal);
  return final.length >= agreeing ? { kind: "final", sighting: first } : { kind: "mined" };
}

function isSame(one: Sighting, other: Sighting): boolean {
  return (
    one.id === other.id &&
    one.block === other.block &&
    one.height === other.height &&
    one.succeeded === other.succeeded &&
    one.received === other.received
  );
}

/**
 * What nodes say of all signed variants of one nonce: a chain has one of them at most, so two that
 * are in blocks are a dispute.
 */
export function verdictOfAll(verdicts: readonly Verdict[]): Verdict {
  const inBlocks = verdicts.filter(({ kind }) => kind !== "unmined" && kind !== "unanswered");
  const [first] = inBlocks;
  if (inBlocks.length > 1) return { kind: "disputed" };
  if (first !== undefined) return first;
  const isUnmined = verdicts.length > 0 && verdicts.every(({ kind }) => kind === "unmined");
  return { kind: isUnmined ? "unmined" : "unanswered" };
}

/**
 * The value that `agreeing` answers have in common, where no answer differs; an answer that did not
 * come, `undefined`, counts for nothing.
 */
export function agreedOn<T extends string | number | bigint>(
  answers: readonly (T | undefined)[],
  agreeing: number,
): T | undefined {
  const given = answers.filter((answer) => answer !== undefined);
  const [first] = given;
  return given.length >= agreeing && given.every((answer) => answer === first) ? first : undefined;
}
