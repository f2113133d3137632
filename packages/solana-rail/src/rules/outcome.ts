/** A signed transaction whose outcome is asked of the nodes. */
export type Signature = {
  readonly id: string;
  /** The height of the last block that can contain the transaction. */
  readonly lastHeight: number;
  /** The slot of a final block from before the transaction was first sent. */
  readonly sinceSlot: number;
};

/** One node's report on a transaction. `undefined` if the node did not respond. */
export type NodeView =
  | {
      readonly kind: "found";
      readonly slot: number;
      /** The transaction's error. `undefined` if it succeeded. */
      readonly error: string | undefined;
      readonly isFinal: boolean;
    }
  /** The transaction can still be included, as far as this node knows. */
  | { readonly kind: "absent" }
  /** No later block can contain it, but the node lacks a part of the blocks that could. */
  | { readonly kind: "unproven" }
  /** The node has every block that could contain the transaction, and none does. */
  | { readonly kind: "expired" }
  | undefined;

/** The combined reports of the nodes. */
export type Outcome =
  | { readonly kind: "open" }
  /** The nodes contradict each other. Nothing is concluded. */
  | { readonly kind: "disputed" }
  /** The transaction is too old to be included, and the nodes can't prove that it was not. */
  | { readonly kind: "unproven" }
  | { readonly kind: "paid"; readonly slot: number }
  | { readonly kind: "failed"; readonly slot: number; readonly error: string }
  | { readonly kind: "expired" };

/**
 * Combines the nodes' reports. A result needs the same report from `agreeing` nodes, and no report
 * that contradicts it. A node that does not have the transaction yet is only behind.
 */
export function outcomeOf(views: readonly NodeView[], agreeing: number): Outcome {
  const found = views.filter((view) => view?.kind === "found");
  const expired = views.filter((view) => view?.kind === "expired");
  if (found.length === 0) {
    if (expired.length >= agreeing) return { kind: "expired" };
    const late = views.filter((view) => view?.kind === "unproven");
    return { kind: late.length + expired.length >= agreeing ? "unproven" : "open" };
  }
  const final = found.filter(({ isFinal }) => isFinal);
  const [first] = final;
  // A block that is not final may be replaced, so another result in it is no contradiction.
  if (first === undefined) return { kind: expired.length > 0 ? "disputed" : "open" };
  const isSame = final.every(({ slot, error }) => slot === first.slot && error === first.error);
  if (!isSame || expired.length > 0) return { kind: "disputed" };
  if (final.length < agreeing) return { kind: "open" };
  const { slot, error } = first;
  return error === undefined ? { kind: "paid", slot } : { kind: "failed", slot, error };
}

/** One node's state and its search for a transaction that it did not find. */
export type Search = {
  /** The node's final block, read before the search. */
  readonly final: { readonly slot: number; readonly height: number };
  /** The slot up to which the search looked. */
  readonly searchedTo: number;
  /** The oldest slot whose blocks the node has, read after the search. */
  readonly firstSlot: number;
  /** Returns true if the node has every block from `sinceSlot` to `lastHeight`. */
  readonly isComplete: boolean;
};

/** Returns the report of a node that did not find a transaction. */
export function viewOfAbsent(signature: Signature, search: Search): NodeView {
  if (!isLate(signature, search.final)) return { kind: "absent" };
  const isSearched =
    search.searchedTo >= search.final.slot &&
    search.firstSlot <= signature.sinceSlot &&
    search.isComplete;
  return { kind: isSearched ? "expired" : "unproven" };
}

/** Returns true if every block that can contain the transaction is final on the node. */
export function isLate(
  { lastHeight }: Pick<Signature, "lastHeight">,
  final: { readonly height: number },
): boolean {
  return final.height > lastHeight;
}
