import type { Movement } from "./rules/account.ts";
import { keyOf, type Refusal } from "./rules/movement.ts";

export type FinalRefusal = { readonly key: string; readonly outcome: Refusal };

/** The operations that the account has refused. Absent before the first refusal. */
export type RememberedRefusals = {
  /** Sorted from the oldest to the newest. */
  readonly recent_refusals?: FinalRefusal[];
};

/**
 * The number of refusals that an account remembers. A retry is unlikely to come after a hundred
 * other refusals.
 */
const rememberedMax = 100;

/**
 * Returns the key under which a refusal of the movement is remembered, because it is final. Payout
 * movements have no such key: they are retried when there is money.
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

export function findRefusal(
  { recent_refusals = [] }: RememberedRefusals,
  key: string | undefined,
): FinalRefusal | undefined {
  return key === undefined ? undefined : recent_refusals.find((each) => each.key === key);
}

export function withRefusal(
  { recent_refusals = [] }: RememberedRefusals,
  fresh: FinalRefusal,
): RememberedRefusals {
  return { recent_refusals: [...recent_refusals, fresh].slice(-rememberedMax) };
}
