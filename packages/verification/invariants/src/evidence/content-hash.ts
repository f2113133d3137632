import { createHash } from "node:crypto";

/** The fields that a record's hash covers, in their order (docs/decisions/0043), with its rule. */
const rules = {
  quote: [
    "disburse quote 1",
    ...["_id", "merchant_id", "account_id", "corridor_id", "source", "destination"],
    ...["source_minor", "fees_minor", "converted_minor", "receiving_minor"],
    ...["rate", "rate_as_of", "rate_source", "return_charges", "beneficiary", "metadata"],
    ...["fixed", "reissue_of", "operation_id", "operation_content", "actor", "created_at"],
  ],
  payout: [
    "disburse payout 1",
    ...["_id", "merchant_id", "account_id", "corridor_id", "beneficiary_id", "order"],
    ...["source", "destination"],
    ...["source_minor", "fees_minor", "receiving_minor", "exchange_rate", "return_charges"],
    ...["reissue_of", "beneficiary_name", "beneficiary_name_latin", "account_number_masked"],
    ...["transfer_method", "network", "created_at"],
  ],
} as const;

/** What is wrong with a record's hash; `undefined` where it is that of its fields. */
export function hashFlaw(kind: keyof typeof rules, record: object): string | undefined {
  const [rule, ...fields] = rules[kind];
  const stored = record as Readonly<Record<string, unknown>>;
  const { content_hash } = stored;
  if (content_hash === undefined) return "has no hash";
  const values = fields.map((field) => stored[field] ?? null);
  const hash = createHash("sha256")
    .update(JSON.stringify([rule, ...values]))
    .digest("base64url");
  return hash === content_hash ? undefined : "its hash is not that of its fields";
}
