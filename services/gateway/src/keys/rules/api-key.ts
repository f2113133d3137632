import { createHmac, timingSafeEqual } from "node:crypto";
import type { BlockList } from "node:net";
import { crc32 } from "node:zlib";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { MakerLimits } from "./child.ts";
import type { Mode, Scope } from "./key.ts";
import { contains } from "./source-address.ts";

/**
 * An API key is `dsb_test_` or `dsb_live_`, 8 characters of public id, 43 random base62 characters
 * (256 bits) and 6 characters of CRC32 over everything before. The checksum saves a database read
 * for a mistyped key.
 */
const prefixes = { sandbox: "dsb_test_", live: "dsb_live_" } as const;
const idLength = 8;
const secretLength = 43;
const checksumLength = 6;
const keyText = /^dsb_(test|live)_([0-9A-Za-z]{8})[0-9A-Za-z]{49}$/;

/** A key with a valid form and checksum. It may not exist. */
export type PresentedKey = { readonly text: string; readonly id: string; readonly mode: Mode };

/** Digits, upper case, lower case: the order of ASCII. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The largest multiple of 62 within a byte. Higher bytes would favour the first characters. */
const fairByteMax = 62 * 4;

/** Returns uniformly random characters. Draws more bytes as needed. */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < fairByteMax) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A whole number in base62 with a fixed width. */
export function base62(value: number, width: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text;
  }
  return text.padStart(width, "0");
}

function checksum(text: string): string {
  return base62(crc32(text), checksumLength);
}

export function makeKey(mode: Mode, randomBytes: (size: number) => Uint8Array): PresentedKey {
  const id = randomBase62(idLength, randomBytes);
  const text = prefixes[mode] + id + randomBase62(secretLength, randomBytes);
  return { text: text + checksum(text), id, mode };
}

/** Returns `undefined` for a wrong form or checksum. */
export function readKey(text: string): PresentedKey | undefined {
  const match = keyText.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { text, id: match[2] ?? "", mode: match[1] === "live" ? "live" : "sandbox" };
}

/** HMAC-SHA256 under the deployment's pepper. Nothing else of a key's text is stored. */
export function keyDigest(text: string, pepper: Uint8Array): Buffer {
  return createHmac("sha256", pepper).update(text).digest();
}

export function digestMatches(text: string, digest: Uint8Array, pepper: Uint8Array): boolean {
  const presented = keyDigest(text, pepper);
  return presented.length === digest.length && timingSafeEqual(presented, digest);
}

const bearer = /^bearer +(\S+) *$/i;

/** Returns the token of exactly one `Authorization` header with the bearer scheme. */
export function bearerToken(authorizations: readonly string[]): string | undefined {
  if (authorizations.length !== 1) return undefined;
  return bearer.exec(authorizations[0] ?? "")?.[1];
}

export type KeyRecord = {
  readonly id: string;
  readonly merchantId: string;
  /** The key or member that it counts as one actor with. */
  readonly root: string;
  readonly mode: Mode;
  readonly digest: Uint8Array;
  /** Version of the pepper that hashed it. */
  readonly pepper: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The earlier of its expiry and the end of its overlap after a rotation. */
  readonly endsAt: Date | undefined;
  readonly isRevoked: boolean;
  /** Allowed source networks; any if undefined. */
  readonly sources: BlockList | undefined;
  /** The same networks as texts; any if empty. */
  readonly sourceCidrs: readonly string[];
};

/** An authenticated merchant, with the key or member that acts for it. */
export type Caller = Pick<KeyRecord, "merchantId"> &
  MakerLimits & {
    readonly actor: {
      readonly kind: "api_key" | "member";
      readonly id: string;
      readonly root: string;
    };
    /** Absent for a key, which does not sign in. */
    readonly signedInAt?: Date;
  };

type Circumstances = {
  readonly now: Date;
  readonly mode: Mode;
  readonly address: string;
  /** Compares a record with a key's text. */
  readonly matches: (record: KeyRecord, text: string) => boolean;
};

/**
 * Returns the caller of a presented key. Unknown, expired and revoked keys and keys of another mode
 * get the same refusal, so that it does not reveal the cause.
 */
export function admit(
  record: KeyRecord | undefined,
  presented: PresentedKey,
  { now, mode, address, matches }: Circumstances,
): Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN"> {
  if (record === undefined || record.mode !== mode || presented.mode !== mode) {
    return refused("UNAUTHENTICATED");
  }
  if (!matches(record, presented.text)) return refused("UNAUTHENTICATED");
  // Uses the state: the revocation time comes from another clock.
  if (record.isRevoked) return refused("UNAUTHENTICATED");
  if (record.endsAt !== undefined && now >= record.endsAt) return refused("UNAUTHENTICATED");
  if (record.sources !== undefined && !contains(record.sources, address)) {
    return refusedBecause("ACCESS_FORBIDDEN", "address_not_allowed");
  }
  const { merchantId, scopes, sourceCidrs, endsAt, id, root } = record;
  return { merchantId, scopes, sourceCidrs, endsAt, actor: { kind: "api_key", id, root } };
}
