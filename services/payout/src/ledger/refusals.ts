import type { Movement } from "./rules/account.ts";
import { keyOf, type Refusal } from "./rules/movement.ts";

/** An operation that an account has refused, and why. */
export type FinalRefusal = { readonly key: string; readonly outcome: Refusal };

/** What an account remembers of what it has refused; absent before the first. */
export type RememberedRefusals = {
  /** The last of them, oldest first. */
  readonly recent_refusals?: FinalRefusal[];
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
  { recent_refusals = [] }: RememberedRefusals,
  key: string | undefined,
): FinalRefusal | undefined {
  return key === undefined ? undefined : recent_refusals.find((each) => each.key === key);
}

/** What an account remembers when it has refused this too. */
export function withRefusal(
  { recent_refusals = [] }: RememberedRefusals,
  fresh: FinalRefusal,
): RememberedRefusals {
  return { recent_refusals: [...recent_refusals, fresh].slice(-rememberedMax) };
}
