import type { Reissue } from "./rules/payout.ts";

/** What a payout has of its reissue, and of the payout that it reissues. */
export type StoredReissues = {
  /** The payout that this one pays again; absent for none. */
  reissue_of?: string;
  /** The quote that pays it again, bound before that is executed; absent until one asked. */
  reissue?: StoredReissue;
  /** The payout of that quote, set after its claim and before it is stored. */
  reissued_as?: string;
};

type StoredReissue = { quote_id: string; attempt: number; operation_id: string; bound_at: Date };

/** A reissue as it is stored. */
export function storedReissue(reissue: Reissue): StoredReissue {
  const { quoteId, operationId, attempt, boundAt } = reissue;
  return { quote_id: quoteId, attempt, operation_id: operationId, bound_at: boundAt };
}

/** A stored reissue as the rules see it. */
export function toReissue(stored: StoredReissue): Reissue {
  const { quote_id: quoteId, operation_id: operationId, attempt, bound_at: boundAt } = stored;
  return { quoteId, attempt, operationId, boundAt };
}
