import { createHmac, timingSafeEqual } from "node:crypto";
import type { BlockList } from "node:net";
import { crc32 } from "node:zlib";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { MakerLimits } from "./child.ts";
import type { Mode, Scope } from "./key.ts";
import { contains } from "./source-address.ts";

/**
 * An API key has four parts. It starts with `dsb_test_` or `dsb_live_`. Then come a public id of 8
 * characters and 43 random base62 characters (256 bits). It ends with the CRC32 of all other parts
 * in 6 characters. This checksum saves a database read when a key is mistyped.
 */
const prefixes = { sandbox: "dsb_test_", live: "dsb_live_" } as const;
const idLength = 8;
const secretLength = 43;
const checksumLength = 6;
const keyText = /^dsb_(test|live)_([0-9A-Za-z]{8})[0-9A-Za-z]{49}$/;

/** A key whose form and checksum are valid. No such key may exist. */
export type PresentedKey = { readonly text: string; readonly id: string; readonly mode: Mode };

/** The digits of base62 in the order of ASCII. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * The largest multiple of 62 that a byte can hold. Bytes from this value on are dropped, because
 * they would make the first characters more frequent.
 */
const fairByteMax = 62 * 4;

/** Returns uniformly random base62 characters. Requests more random bytes as needed. */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < fairByteMax) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** Writes a whole number in base62, padded to `width`. */
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

/** Reads a key's text. Returns `undefined` if its form or checksum is invalid. */
export function readKey(text: string): PresentedKey | undefined {
  const match = keyText.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { text, id: match[2] ?? "", mode: match[1] === "live" ? "live" : "sandbox" };
}

/**
 * Returns the HMAC-SHA256 of a key's text with the deployment's pepper. The database stores only
 * this digest of the key.
 */
export function keyDigest(text: string, pepper: Uint8Array): Buffer {
  return createHmac("sha256", pepper).update(text).digest();
}

export function digestMatches(text: string, digest: Uint8Array, pepper: Uint8Array): boolean {
  const presented = keyDigest(text, pepper);
  return presented.length === digest.length && timingSafeEqual(presented, digest);
}

const bearer = /^bearer +(\S+) *$/i;

/**
 * Returns the bearer token. Returns `undefined` unless there is exactly one `Authorization` header
 * with the bearer scheme.
 */
export function bearerToken(authorizations: readonly string[]): string | undefined {
  if (authorizations.length !== 1) return undefined;
  return bearer.exec(authorizations[0] ?? "")?.[1];
}

export type KeyRecord = {
  readonly id: string;
  readonly merchantId: string;
  /**
   * The first key or member in the chain that created this key. All keys of the chain count as one
   * actor.
   */
  readonly root: string;
  /** The key's description. */
  readonly name: string;
  readonly mode: Mode;
  readonly digest: Uint8Array;
  /** Version of the pepper that the key is hashed with. */
  readonly pepper: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The earlier of the key's expiry and the end of its overlap after a rotation. */
  readonly endsAt: Date | undefined;
  readonly isRevoked: boolean;
  /** Networks that requests may come from. `undefined` allows all. */
  readonly sources: BlockList | undefined;
  /** The same networks as texts. An empty list allows all. */
  readonly sourceCidrs: readonly string[];
};

/** An authenticated merchant, and the key or member that acts for the merchant. */
export type Caller = Pick<KeyRecord, "merchantId"> &
  MakerLimits & {
    readonly actor: {
      readonly kind: "api_key" | "member";
      readonly id: string;
      readonly root: string;
      /** Absent for a member, because other services store no names of persons. */
      readonly name?: string;
    };
    /** Absent for an API key, because keys don't sign in. */
    readonly signedInAt?: Date;
  };

type Circumstances = {
  readonly now: Date;
  readonly mode: Mode;
  readonly address: string;
  /** Returns true if the text belongs to the record. */
  readonly matches: (record: KeyRecord, text: string) => boolean;
};

/**
 * Returns the caller for a presented key. An unknown, expired or revoked key and a key of the other
 * mode get the same refusal, so the response doesn't reveal the cause.
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
  // Doesn't compare the revocation time, because that time comes from another clock.
  if (record.isRevoked) return refused("UNAUTHENTICATED");
  if (record.endsAt !== undefined && now >= record.endsAt) return refused("UNAUTHENTICATED");
  if (record.sources !== undefined && !contains(record.sources, address)) {
    return refusedBecause("ACCESS_FORBIDDEN", "address_not_allowed");
  }
  const { merchantId, scopes, sourceCidrs, endsAt, id, root, name } = record;
  return { merchantId, scopes, sourceCidrs, endsAt, actor: { kind: "api_key", id, root, name } };
}
