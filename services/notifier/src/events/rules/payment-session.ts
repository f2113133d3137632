import { type ExactJson, ExactNumber } from "@disburse/kernel/exact-json.ts";

type Kind = "text" | "number" | "time" | "time_or_none";

/**
 * What `data` of a payment session has, all of it required (service interface, "Events"). A text
 * that has no value yet is `""`; fields beyond these are the publisher's own.
 */
const kinds: Readonly<Record<string, Kind>> = {
  id: "text",
  reference_id: "text",
  merchant_id: "text",
  status: "text",
  failure_code: "text",
  amount: "number",
  source_currency: "text",
  source_account: "text",
  payment_option_id: "text",
  payment_option_code: "text",
  success_redirect_url: "text",
  failure_redirect_url: "text",
  risk_score: "text",
  created_at: "time",
  updated_at: "time",
  expires_at: "time_or_none",
};

const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function isTime(text: string): boolean {
  return timeText.test(text) && !Number.isNaN(Date.parse(text));
}

function problemOf(value: ExactJson | undefined, kind: Kind): string | undefined {
  if (value === undefined) return "is required";
  if (kind === "number") return value instanceof ExactNumber ? undefined : "must be a number";
  if (typeof value !== "string") return "must be a string";
  if (kind === "text" || (kind === "time_or_none" && value === "")) return undefined;
  return isTime(value) ? undefined : "must be an ISO 8601 time with its offset";
}

/** Every field of a payment session that is not as the interface says; never their content. */
export function paymentSessionProblems(data: { readonly [field: string]: ExactJson }): string[] {
  return Object.entries(kinds).flatMap(([field, kind]) => {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    const problem = problemOf(value, kind);
    return problem === undefined ? [] : [`${field} ${problem}`];
  });
}
