import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** Which of an endpoint's keys sign; a key is a pair of secrets, named by an id. */
export type SecretSet = {
  readonly current: string;
  /** Goes along until then, so that a receiver can change over without losing a delivery. */
  readonly previous?: { readonly keyId: string; readonly until: Date } | undefined;
  /** Known to the merchant, signs after activation. */
  readonly staged?: { readonly keyId: string; readonly overlapSeconds: number } | undefined;
};

/** A day, so that no rotation needs work at night (decisions, webhooks). */
export const overlapSecondsDefault = 86_400;

/** The keys that sign next, and for how long the old ones go along. */
export type Rotation = { readonly keyId: string; readonly overlapSeconds: number };

/** New keys sign at once; the current ones go along for the overlap, staged ones are dropped. */
export function rotated(set: SecretSet, to: Rotation, now: Date): SecretSet {
  if (to.overlapSeconds === 0) return { current: to.keyId };
  const until = new Date(now.getTime() + to.overlapSeconds * 1_000);
  return { current: to.keyId, previous: { keyId: set.current, until } };
}

/** New keys wait for activation; they take the place of others that wait. */
export function staged(set: SecretSet, to: Rotation): SecretSet {
  return { ...set, staged: to };
}

/** Staged keys become the signing ones; the overlap counts from now. */
export function activated(set: SecretSet, now: Date): SecretSet | Refused<"INVALID_REQUEST"> {
  if (set.staged === undefined) return refused("INVALID_REQUEST", "No secret is staged.");
  return rotated(set, set.staged, now);
}

/** The keys that sign at a moment: the current one, and the one before during its overlap. */
export function signingKeys(set: SecretSet, now: Date): { current: string; previous?: string } {
  const { current, previous } = set;
  if (previous === undefined || now >= previous.until) return { current };
  return { current, previous: previous.keyId };
}

/** Keys that a set still names. */
export function namedKeys(set: SecretSet): ReadonlySet<string> {
  const named = [set.current, set.previous?.keyId, set.staged?.keyId];
  return new Set(named.filter((keyId) => keyId !== undefined));
}
