import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";

/** The sub-statuses of each status of a payout. The first one is that of the example. */
const subStatuses = {
  initiated: [
    ...["queued", "awaiting_approval", "awaiting_balance", "awaiting_funds"],
    ...["processing", "unknown"],
  ],
  succeeded: ["settled"],
  failed: ["rejected", "cancelled", "returned"],
} as const;

const hash = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060";

/** The example's fields in each sub-status that has more than its status. */
const outcomes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  settled: { unique_transaction_reference: hash },
  rejected: { failure_code: "TRANSFER_REVERTED" },
  cancelled: { failure_code: "CANCELLED" },
  // Only banks return payments, so the example pays to a bank account.
  returned: {
    failure_code: "ACCOUNT_CLOSED",
    returned_reference: "FT26325001234567",
    destination_currency_code: "USD",
    receiving_amount: exactNumber("248.20"),
  },
};

type Example = Readonly<Record<string, unknown>>;

/** The fields that a merchant chose. `""` keeps the status of the example. */
type Sent = { readonly status: string; readonly data: Readonly<Record<string, string>> };

function isPayoutStatus(status: unknown): status is keyof typeof subStatuses {
  return typeof status === "string" && Object.hasOwn(subStatuses, status);
}

/** Returns the `data` of a payout's event in a status and one of its sub-statuses. */
export function payoutExample(example: Example, status: string, subStatus?: string): Example {
  const sub_status = subStatus || (isPayoutStatus(status) ? subStatuses[status][0] : "");
  return { ...example, status, sub_status, ...outcomes[sub_status] };
}

/** Returns the example of a type with the chosen status, and the fields that follow from it. */
function exampleIn(type: string, example: Example, { status, data }: Sent): Example {
  if (type === "payout_session") return payoutExample(example, status, data.sub_status);
  const isFailed = type === "payment_session" && status === "failed";
  return { ...example, status, ...(isFailed && { failure_code: "UNSPECIFIED" }) };
}

/**
 * Returns the example of an event in the chosen status, with its chosen numbers, or the problems of
 * the chosen fields: they must exist in the type's schema, fit it, and be possible together.
 */
export function sandboxExample(
  type: string,
  schema: JsonSchema,
  example: Example,
  sent: Sent,
): { readonly example: Example } | { readonly violations: readonly Violation[] } {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const status = sent.status || sent.data.status || String(example.status);
  const known = wordsOf(properties.status);
  if (known !== undefined && !known.includes(status)) {
    const field = sent.status === "" ? "data.status" : "status";
    return { violations: [{ field, problem: `must be one of ${known.join(", ")}` }] };
  }
  const base = exampleIn(type, example, { ...sent, status });
  const chosen = Object.entries(sent.data);
  const isOpen = schema.additionalProperties === true;
  const fields = chosen.flatMap(([name, text]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && isOpen) return [];
    const problem = property ? textProblem(property, text) : "is not a field of this event";
    return problem === undefined ? [] : [{ field: `data.${name}`, problem }];
  });
  if (fields.length > 0) return { violations: fields };
  const violations = combinedProblems(type, { ...base, ...sent.data, status });
  if (violations.length > 0) return { violations };
  // An optional number is not in the example. With it, the notifier sends the field as a number.
  const numbers = chosen.filter(([name]) => isNumber(properties[name]));
  const exact = Object.fromEntries(numbers.map(([name, text]) => [name, exactNumber(text)]));
  return { example: { ...base, ...exact } };
}

function isNumber(property: JsonSchema | undefined): boolean {
  return property?.type === "number" || property?.type === "integer";
}

/** Returns the words of an enum's schema. In responses, other words are allowed beside them. */
function wordsOf(property: JsonSchema | undefined): readonly string[] | undefined {
  const [first = property] = (property?.anyOf ?? []) as readonly JsonSchema[];
  return first?.enum as readonly string[] | undefined;
}

const numberTexts = { number: /^(0|[1-9]\d*)(\.\d+)?$/, integer: /^(0|[1-9]\d*)$/ } as const;

/** Describes why a field of the schema can't have the text. */
function textProblem(property: JsonSchema, text: string): string | undefined {
  const { type, format, pattern } = property;
  if (type === "number" || type === "integer") {
    return numberTexts[type].test(text) ? undefined : `must be a ${wordOf(type)}`;
  }
  const words = wordsOf(property);
  if (words !== undefined && !words.includes(text)) return `must be one of ${words.join(", ")}`;
  if (words === undefined && type !== "string") return "can't be set, because it is not a text";
  if (format === "date-time" && parseMoment(text) === undefined) {
    return "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z";
  }
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(text)) {
    return `must match ${pattern}`;
  }
  return undefined;
}

function wordOf(type: "number" | "integer"): string {
  return type === "number" ? "decimal number" : "whole number";
}

/** Returns the problems of fields that can't occur together. */
function combinedProblems(type: string, data: Example): Violation[] {
  if (type === "payout_session") return payoutProblems(data);
  const isSame = data.previous_status === data.status;
  return isSame && type === "beneficiary.screening_changed"
    ? [{ field: "data.previous_status", problem: "must differ from the status" }]
    : [];
}

function payoutProblems(data: Example): Violation[] {
  const { status, sub_status } = data;
  const possible: readonly string[] = isPayoutStatus(status) ? subStatuses[status] : [];
  if (!possible.includes(String(sub_status))) {
    const problem = `must be one of ${possible.join(", ")} if the status is ${status}`;
    return [{ field: "data.sub_status", problem }];
  }
  const filled: Readonly<Record<string, readonly [isFilled: boolean, state: string]>> = {
    unique_transaction_reference: [status === "succeeded", "the status is succeeded"],
    failure_code: [status === "failed", "the status is failed"],
    returned_reference: [sub_status === "returned", "the sub-status is returned"],
  };
  return Object.entries(filled).flatMap(([name, [isFilled, state]]) => {
    if ((data[name] !== "") === isFilled) return [];
    const problem = isFilled ? `must not be empty if ${state}` : `must be empty unless ${state}`;
    return [{ field: `data.${name}`, problem }];
  });
}
