import { createHmac, timingSafeEqual } from "node:crypto";
import type { BlockList } from "node:net";
import { crc32 } from "node:zlib";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { MakerLimits } from "./child.ts";
import type { Mode, Scope } from "./key.ts";
import { contains } from "./source-address.ts";

/**
 * An API key is `dsb_test_` or `dsb_live_`, 8 characters of public id, 43 random base62 characters
 * (256 bits) and 6 of CRC32 over all before them, so that a mistyped key costs no database read.
 */
const prefixes = { sandbox: "dsb_test_", live: "dsb_live_" } as const;
const idLength = 8;
const secretLength = 43;
const checksumLength = 6;
const keyText = /^dsb_(test|live)_([0-9A-Za-z]{8})[0-9A-Za-z]{49}$/;

/** A key whose form and checksum are right; whether it exists is not known yet. */
export type PresentedKey = { readonly text: string; readonly id: string; readonly mode: Mode };

/** Digits, upper case, lower case: sorts as ASCII does. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The largest multiple of 62 within a byte: bytes from here on would favour the first letters. */
const fairByteMax = 62 * 4;

/** Random characters, each of the 62 equally likely; draws more bytes as needed. */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < fairByteMax) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A whole number in base62 of a fixed width. */
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

/** A new key's text. */
export function makeKey(mode: Mode, randomBytes: (size: number) => Uint8Array): PresentedKey {
  const id = randomBase62(idLength, randomBytes);
  const text = prefixes[mode] + id + randomBase62(secretLength, randomBytes);
  return { text: text + checksum(text), id, mode };
}

/** Reads a key's text; `undefined` where form or checksum is wrong. */
export function readKey(text: string): PresentedKey | undefined {
  const match = keyText.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { text, id: match[2] ?? "", mode: match[1] === "live" ? "live" : "sandbox" };
}

/** All that is stored of a key: HMAC-SHA256 under the deployment's pepper. */
export function keyDigest(text: string, pepper: Uint8Array): Buffer {
  return createHmac("sha256", pepper).update(text).digest();
}

/** Compares in constant time. */
export function digestMatches(text: string, digest: Uint8Array, pepper: Uint8Array): boolean {
  const presented = keyDigest(text, pepper);
  return presented.length === digest.length && timingSafeEqual(presented, digest);
}

const bearer = /^bearer +(\S+) *$/i;

/** The key text of the request's `Authorization` headers: exactly one, of the bearer scheme. */
export function bearerToken(authorizations: readonly string[]): string | undefined {
  if (authorizations.length !== 1) return undefined;
  return bearer.exec(authorizations[0] ?? "")?.[1];
}

/** A stored key as admission needs it. */
export type KeyRecord = {
  readonly id: string;
  readonly merchantId: string;
  /** The key or member that it counts as one actor with. */
  readonly root: string;
  readonly mode: Mode;
  readonly digest: Uint8Array;
  /** The version of the pepper that it is hashed under. */
  readonly pepper: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The earlier of its own expiry and the end of its overlap after a rotation. */
  readonly endsAt: Date | undefined;
  readonly isRevoked: boolean;
  /** Where it may be used from; anywhere when unset. */
  readonly sources: BlockList | undefined;
  /** The same as texts; empty: anywhere. */
  readonly sourceCidrs: readonly string[];
};

/** Whose request it is, and who acts for the merchant: one of its keys, or a member of its team. */
export type Caller = Pick<KeyRecord, "merchantId"> &
  MakerLimits & {
    readonly actor: {
      readonly kind: "api_key" | "member";
      readonly id: string;
      readonly root: string;
    };
    /** Of a member. */
    readonly signedInAt?: Date;
  };

/** What a key is checked against. */
type Circumstances = {
  readonly now: Date;
  readonly mode: Mode;
  readonly address: string;
  /** Whether a record is of a key's text. */
  readonly matches: (record: KeyRecord, text: string) => boolean;
};

/**
 * The caller of a presented key. A key that is unknown, of another mode, expired or revoked gets
 * the same answer, so that it does not reveal which of them it was.
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
  // A state: when it was revoked is by another's clock.
  if (record.isRevoked) return refused("UNAUTHENTICATED");
  if (record.endsAt !== undefined && now >= record.endsAt) return refused("UNAUTHENTICATED");
  if (record.sources !== undefined && !contains(record.sources, address)) {
    return refusedBecause("ACCESS_FORBIDDEN", "address_not_allowed");
  }
  const { merchantId, scopes, sourceCidrs, endsAt, id, root } = record;
  return { merchantId, scopes, sourceCidrs, endsAt, actor: { kind: "api_key", id, root } };
}
