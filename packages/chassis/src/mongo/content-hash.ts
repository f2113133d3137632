import { createHash } from "node:crypto";

/**
 * Returns the hash (SHA-256, base64url) of a JSON array that contains the rule's name and then the
 * fields in this order. An absent field is `null`. Include only fields that never change after the
 * insert, because `audit:verify` compares them with the hash (docs/decisions/0043).
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
