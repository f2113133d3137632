import type { Preflight } from "@disburse/rail/rail.ts";

/**
 * Combines the nodes' results for one order. A refusal releases money and a pass sends it, so both
 * need `agreeing` nodes, and no node that objects. Otherwise the order waits.
 */
export function agreedClearance(
  results: readonly (Preflight | undefined)[],
  agreeing: number,
): Preflight {
  const given = results.filter((result) => result !== undefined);
  const [first] = given;
  if (first === undefined || given.length < agreeing) return wait("too few nodes respond");
  const waiting = given.find(({ kind }) => kind === "wait");
  if (waiting !== undefined) return waiting;
  const isSame = given.every((each) => JSON.stringify(each) === JSON.stringify(first));
  return isSame ? first : wait("the nodes differ about the recipient's account");
}

/** What a node reports on a token, the recipient and the rail's wallet. */
export type IssuerControls = {
  readonly isPaused: boolean;
  readonly isRecipientBlocked: boolean;
  readonly isWalletBlocked: boolean;
};

/** A block concerns a person and may be permanent. A pause concerns everybody and ends. */
export function clearanceOf(controls: IssuerControls): Preflight {
  if (controls.isRecipientBlocked)
    return { kind: "refuse", failure: { code: "ACCOUNT_BLOCKED", railCode: "BLACKLISTED" } };
  if (controls.isWalletBlocked) return wait("the issuer has blocked the rail's wallet");
  return controls.isPaused ? wait("the issuer has paused the token") : { kind: "ok" };
}

/**
 * Returns the first transfers of each currency, in order. So transfers in a paused currency don't
 * keep others from being checked.
 */
export function firstOfEach<Transfer extends { readonly currency: string }>(
  transfers: readonly Transfer[],
  max: number,
): Transfer[] {
  const counts = new Map<string, number>();
  return transfers.filter(({ currency }) => {
    const count = (counts.get(currency) ?? 0) + 1;
    counts.set(currency, count);
    return count <= max;
  });
}

function wait(reason: string): Preflight {
  return { kind: "wait", reason };
}
