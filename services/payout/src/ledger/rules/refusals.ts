import type { Movement } from "./account.ts";
import { keyOf, type Refusal } from "./movement.ts";

/** An operation that an account has refused, and why. */
export type FinalRefusal = { readonly key: string; readonly outcome: Refusal };

/** What an account remembers of what it has refused; both absent before the first. */
export type RememberedRefusals = {
  /** The last of them, oldest first. */
  readonly refused?: FinalRefusal[];
  /** How many there were: it changes with each. */
  readonly refusals?: number;
};

/** An account remembers so many; an attempt does not come after a hundred others were refused. */
const rememberedMax = 100;

/**
 * The key under which the refusal of a movement is final; `undefined` of a payout's movements,
 * which are tried again when there is money.
 */
export function refusalKeyOf(accountId: string, movement: Movement): string | undefined {
  switch (movement.step) {
    case "credit":
    case "fund":
    case "sweep":
      return keyOf(accountId, movement);
    case "reversal":
      return `${keyOf(accountId, movement)}:${movement.operationId}`;
    default:
      return undefined;
  }
}

/** The first refusal under a key. */
export function findRefusal(
  { refused = [] }: RememberedRefusals,
  key: string | undefined,
): FinalRefusal | undefined {
  return key === undefined ? undefined : refused.find((each) => each.key === key);
}

/** What an account remembers when it has refused this too. */
export function withRefusal(
  { refused = [], refusals = 0 }: RememberedRefusals,
  fresh: FinalRefusal,
): RememberedRefusals {
  return { refused: [...refused, fresh].slice(-rememberedMax), refusals: refusals + 1 };
}
