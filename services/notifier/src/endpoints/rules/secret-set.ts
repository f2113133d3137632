import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** The keys of an endpoint. A key consists of an id and two secrets. */
export type SecretSet = {
  readonly current: string;
  /**
   * Signs in addition to the current key until this time. So a receiver can switch keys without
   * losing a delivery.
   */
  readonly previous?: { readonly keyId: string; readonly until: Date } | undefined;
  /** A key that the merchant knows already. It signs only after its activation. */
  readonly staged?: { readonly keyId: string; readonly overlapSeconds: number } | undefined;
};

/**
 * Default overlap: a day, so that no one has to work at night for a rotation (decisions, webhooks).
 */
export const overlapSecondsDefault = 86_400;

/** The next signing key. During the overlap, the old key signs too. */
export type Rotation = { readonly keyId: string; readonly overlapSeconds: number };

/**
 * Rotates to a new key, which signs at once. The old key signs too during the overlap. A staged key
 * is removed.
 */
export function rotated(set: SecretSet, to: Rotation, now: Date): SecretSet {
  if (to.overlapSeconds === 0) return { current: to.keyId };
  const until = new Date(now.getTime() + to.overlapSeconds * 1_000);
  return { current: to.keyId, previous: { keyId: set.current, until } };
}

/** Stages a new key, which replaces a staged one. The new key signs after its activation. */
export function staged(set: SecretSet, to: Rotation): SecretSet {
  return { ...set, staged: to };
}

const notStaged = refused(
  "STATE_NOT_REACHABLE",
  "The endpoint has no staged secret. Stage one first: rotate the secret with `stage`.",
);

/** Activates the staged key. The overlap begins now. */
export function activated(set: SecretSet, now: Date): SecretSet | Refused<"STATE_NOT_REACHABLE"> {
  if (set.staged === undefined) return notStaged;
  return rotated(set, set.staged, now);
}

/** Returns the current key. During an overlap, also returns the previous key. */
export function signingKeys(set: SecretSet, now: Date): { current: string; previous?: string } {
  const { current, previous } = set;
  if (previous === undefined || now >= previous.until) return { current };
  return { current, previous: previous.keyId };
}

export function namedKeys(set: SecretSet): ReadonlySet<string> {
  const named = [set.current, set.previous?.keyId, set.staged?.keyId];
  return new Set(named.filter((keyId) => keyId !== undefined));
}
