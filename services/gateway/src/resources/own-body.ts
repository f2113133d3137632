import { checkBody } from "@disburse/forms/checks/body.ts";
import { readBody } from "@disburse/forms/checks/read.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import type { Call } from "../openapi/route.ts";

/**
 * Checks the body of a route that the gateway itself implements. Uses the route's form.
 */
export function soundBody({
  form,
  body,
}: Pick<Call, "form" | "body">): BodyValues | Refused<"INVALID_REQUEST"> {
  if (form === undefined) throw new Error("the route defines no fields for its body");
  const { values, unreadable } = readBody(form, body);
  const sound = checkBody(form, values, { now: new Date(), unreadable });
  return Array.isArray(sound) ? invalidRequest(sound) : sound.values;
}

/** Returns a text field of a checked body, or `""` if it was not sent. */
export function textOf(values: BodyValues, name: string): string {
  const value = values[name];
  return typeof value === "string" ? value : "";
}

/** Returns a field with a list of texts, or an empty list if it was not sent. */
export function textsOf(values: BodyValues, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
