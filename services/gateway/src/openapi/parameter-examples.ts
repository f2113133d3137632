import { type IdNoun, idPrefixes } from "@disburse/kernel/id.ts";

/** Examples of path and query parameters, so that a collection made from the document runs. */

const idOf = (noun: IdNoun): string => `${idPrefixes[noun]}_01hqz0000000000000000000ab`;

const examples: Readonly<Record<string, string | readonly string[]>> = {
  account_id: idOf("account"),
  batch_id: idOf("batch"),
  beneficiary_id: idOf("beneficiary"),
  delivery_id: idOf("delivery"),
  depositor_id: idOf("depositor"),
  endpoint_id: idOf("endpoint"),
  key_id: "a1B2c3D4",
  link_id: idOf("link"),
  member_id: idOf("member"),
  payout_id: idOf("payout"),
  proposal_id: idOf("proposal"),
  quote_id: idOf("quote"),
  replay_id: idOf("replay"),
  scheduled_payout_id: idOf("scheduledPayout"),
  transaction_id: idOf("payout"),
  // Empty for the first page.
  cursor: "",
  after: "",
  amount_from: "100.00",
  amount_to: "500.00",
  as_of: "2026-11-20T11:26:00.123Z",
  beneficiary_name: "Jane Doe",
  corrects_batch_id: idOf("batch"),
  created_from: "2026-11-01T00:00:00.000Z",
  created_to: "2026-12-01T00:00:00.000Z",
  destination_currency: "USD",
  destination_currency_code: "USD",
  expires_at: "2026-12-02T00:00:00.000Z",
  file_name: "payroll-2026-12.csv",
  first_day: "2026-11-01",
  from: "2026-11-01T00:00:00.000Z",
  last_day: "2026-11-30",
  metadata: ["order=1001"],
  reference_id: "order-1001",
  unique_transaction_reference: "0xabc",
  request_id: "checkout-7f3a",
  source_currency_code: "USD",
  updated_from: "2026-11-01T00:00:00.000Z",
  to: "2026-12-01T00:00:00.000Z",
};

type Schema = { readonly [keyword: string]: unknown };

/** Returns a parameter's example: its own, or the first value or the maximum of its schema. */
export function parameterExample(name: string, schema: Schema): unknown {
  const own = examples[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  if (own !== undefined) return own;
  const { enum: words, items, maximum } = schema;
  if (items !== undefined) return [parameterExample("", items as Schema)];
  const [first = maximum] = (words ?? []) as readonly unknown[];
  if (first === undefined) throw new Error(`the parameter ${name} has no example`);
  return first;
}
