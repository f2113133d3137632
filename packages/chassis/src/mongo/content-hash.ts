import { createHash } from "node:crypto";

/**
 * Hashes (SHA-256, base64url) a JSON array of the rule's name and the fields in this order, `null`
 * for an absent one. Include only fields that never change after the insert: `audit:verify`
 * compares them with the hash (docs/decisions/0043).
 */
export function contentHash<Document extends object>(
  rule: string,
  fields: readonly (keyof Document)[],
  document: Document,
): string {
  const values = fields.map((field) => document[field] ?? null);
  return createHash("sha256")
    .update(JSON.stringify([rule, ...values]))
    .digest("base64url");
}
