import { checkBody } from "@disburse/forms/checks/body.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/fields/field.ts";
import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";

export type InvalidRequest = Refused<"INVALID_REQUEST">;

/** A body's values as its form takes them, or a refusal that names every failing field. */
export function checkedBody(
  body: PublicBody,
  values: BodyValues,
  unreadable: readonly Violation[],
  now: Date,
): { readonly values: BodyValues } | InvalidRequest {
  const answer = checkBody(body, values, { now, unreadable });
  return Array.isArray(answer) ? invalid(answer) : answer;
}

/** The refusal of failing fields. */
export function invalid(violations: readonly Violation[]): InvalidRequest {
  return refused("INVALID_REQUEST", violationsMessage(violations));
}

/** A text of checked values; `""` where it was not sent. */
export function textOf(values: BodyValues, field: string): string {
  const value = values[field];
  return typeof value === "string" ? value : "";
}
