import { createHash } from "node:crypto";

/**
 * SHA-256, in base64url, over a JSON array: the rule's name, then the fields in this order, `null`
 * for an absent one. Only fields that never change after the insert belong in it: `audit:verify`
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
