import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** An endpoint's keys. A key is a pair of secrets with an id. */
export type SecretSet = {
  readonly current: string;
  /** Also signs until then, so that a receiver can switch keys without losing a delivery. */
  readonly previous?: { readonly keyId: string; readonly until: Date } | undefined;
  /** Known to the merchant; signs only after activation. */
  readonly staged?: { readonly keyId: string; readonly overlapSeconds: number } | undefined;
};

/** A day, so that no rotation requires work at night (decisions, webhooks). */
export const overlapSecondsDefault = 86_400;

/** The next signing key, and the overlap during which the old one also signs. */
export type Rotation = { readonly keyId: string; readonly overlapSeconds: number };

/**
 * The new key signs at once. The current one also signs for the overlap; a staged one is dropped.
 */
export function rotated(set: SecretSet, to: Rotation, now: Date): SecretSet {
  if (to.overlapSeconds === 0) return { current: to.keyId };
  const until = new Date(now.getTime() + to.overlapSeconds * 1_000);
  return { current: to.keyId, previous: { keyId: set.current, until } };
}

/** The new key awaits activation and replaces any staged key. */
export function staged(set: SecretSet, to: Rotation): SecretSet {
  return { ...set, staged: to };
}

/** Activates the staged key. The overlap starts now. */
export function activated(set: SecretSet, now: Date): SecretSet | Refused<"INVALID_REQUEST"> {
  if (set.staged === undefined) return refused("INVALID_REQUEST", "No secret is staged.");
  return rotated(set, set.staged, now);
}

/** Returns the current key and, during its overlap, the previous one. */
export function signingKeys(set: SecretSet, now: Date): { current: string; previous?: string } {
  const { current, previous } = set;
  if (previous === undefined || now >= previous.until) return { current };
  return { current, previous: previous.keyId };
}

export function namedKeys(set: SecretSet): ReadonlySet<string> {
  const named = [set.current, set.previous?.keyId, set.staged?.keyId];
  return new Set(named.filter((keyId) => keyId !== undefined));
}
