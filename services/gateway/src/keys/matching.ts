import { hash, timingSafeEqual } from "node:crypto";
import { digestMatches, type KeyRecord } from "./rules/api-key.ts";
import type { Peppers } from "./rules/peppers.ts";

/**
 * Whether a record is of a key's text, in constant time. A text that matched is remembered by its
 * hash as long as the record is: an HMAC costs some ten times as much, and a key's 256 random bits
 * need none in memory.
 */
export function createKeyMatching(peppers: Peppers): (record: KeyRecord, text: string) => boolean {
  const matched = new WeakMap<KeyRecord, Buffer>();
  return (record, text) => {
    const presented = hash("sha256", text, "buffer");
    const before = matched.get(record);
    if (before !== undefined && timingSafeEqual(before, presented)) return true;
    const pepper = peppers.byVersion.get(record.pepper);
    if (pepper === undefined || !digestMatches(text, record.digest, pepper)) return false;
    matched.set(record, presented);
    return true;
  };
}
