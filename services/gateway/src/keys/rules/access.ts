import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { digestMatches, type Mode, type PresentedKey } from "./api-key.ts";
import type { Scope } from "./key.ts";
import { contains } from "./source-address.ts";

/** A stored key as admission needs it. */
export type KeyRecord = {
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly digest: Uint8Array;
  readonly scopes: ReadonlySet<Scope>;
  /** The earlier of its own expiry and the end of its overlap after a rotation. */
  readonly endsAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Where it may be used from; anywhere when unset. */
  readonly sources: BlockList | undefined;
};

/** Whose request it is, and with which key. */
export type Caller = {
  readonly merchantId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
};

/** What a key is checked against. */
export type Circumstances = {
  readonly now: Date;
  readonly mode: Mode;
  readonly address: string;
  readonly pepper: Uint8Array;
};

/**
 * The caller of a presented key. A key that is unknown, of another mode, expired or revoked gets
 * the same answer, so that it does not reveal which of them it was.
 */
export function admit(
  record: KeyRecord | undefined,
  presented: PresentedKey,
  { now, mode, address, pepper }: Circumstances,
): Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN"> {
  if (record === undefined || record.mode !== mode || presented.mode !== mode) {
    return refused("UNAUTHENTICATED");
  }
  if (!digestMatches(presented.text, record.digest, pepper)) return refused("UNAUTHENTICATED");
  if (record.revokedAt !== undefined && now >= record.revokedAt) return refused("UNAUTHENTICATED");
  if (record.endsAt !== undefined && now >= record.endsAt) return refused("UNAUTHENTICATED");
  if (record.sources !== undefined && !contains(record.sources, address)) {
    return refused("ACCESS_FORBIDDEN");
  }
  return { merchantId: record.merchantId, keyId: record.id, scopes: record.scopes };
}
