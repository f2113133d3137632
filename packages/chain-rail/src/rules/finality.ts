/** A transaction in a block, as one node reports it. */
export type MinedTransaction = {
  readonly id: string;
  readonly height: number;
  readonly block: string;
  readonly succeeded: boolean;
  /** The received amount in units of the chain. `undefined` if the chain records no recipient. */
  readonly received: bigint | undefined;
  /** True if the node considers the block final, by the chain's finality setting. */
  readonly isFinal: boolean;
};

/** One node's report on a transaction. `undefined` if the node did not respond. */
export type NodeView = MinedTransaction | "absent" | undefined;

/** The combined reports of the nodes. */
export type Verdict =
  | { readonly kind: "unmined" }
  /** The transaction is in a block that may still leave the chain. */
  | { readonly kind: "mined" }
  /** The nodes contradict each other. Nothing is concluded. */
  | { readonly kind: "disputed" }
  | { readonly kind: "unanswered" }
  | { readonly kind: "final"; readonly transaction: MinedTransaction };

/**
 * Combines the nodes' reports on a transaction. The transaction is final if `agreeing` nodes report
 * it as final and no node contradicts them. A node that does not have the transaction yet is only
 * behind, so its report is no contradiction.
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
  return final.length >= agreeing ? { kind: "final", transaction: first } : { kind: "mined" };
}

function isSame(one: MinedTransaction, other: MinedTransaction): boolean {
  return (
    one.id === other.id &&
    one.block === other.block &&
    one.height === other.height &&
    one.succeeded === other.succeeded &&
    one.received === other.received
  );
}

/**
 * Combines the verdicts on all signed variants of one nonce. A chain can contain only one variant,
 * so reports of two mined variants are a dispute.
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
 * Returns true if a transaction that was final is in no block or in a different block.
 * Contradictory reports of nodes prove nothing.
 */
export function isGone(verdict: Verdict, ended: { readonly block: string }): boolean {
  if (verdict.kind === "unmined") return true;
  return verdict.kind === "final" && verdict.transaction.block !== ended.block;
}

/**
 * Returns the value of `agreeing` equal responses, if no response differs. Missing responses
 * (`undefined`) are ignored.
 */
export function agreedOn<T extends string | number | bigint>(
  responses: readonly (T | undefined)[],
  agreeing: number,
): T | undefined {
  const given = responses.filter((response) => response !== undefined);
  const [first] = given;
  return given.length >= agreeing && given.every((response) => response === first)
    ? first
    : undefined;
}
