import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { type IdNoun, idPrefixes, otherKindProblem } from "@disburse/kernel/id.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import type { WireViolation } from "@disburse/kernel/violations.ts";
import type { Mode } from "../../keys/rules/key.ts";
import { charsetOf } from "./request.ts";

/** Hints for a developer's first requests. They depend on the request alone. */

const bearer = "Send it as `Authorization: Bearer <api key>`";

/** Tells how to send an API key. Returns "" if the request sends one, and says nothing about it. */
export function authorizationHint(
  authorizations: readonly string[],
  isKeyHeader: boolean,
  mode: Mode,
): string {
  const [sent, ...more] = authorizations;
  if (more.length > 0) return "Send exactly one Authorization header.";
  if (sent === undefined) return isKeyHeader ? `${bearer}, not as X-API-Key.` : `${bearer}.`;
  if (/^basic\b/i.test(sent)) return `${bearer}, not as Basic.`;
  if (!/^bearer +\S/i.test(sent)) return `${bearer}.`;
  const isLive = mode === "live";
  if (!sent.includes(isLive ? " dsb_test_" : " dsb_live_")) return "";
  return isLive
    ? "Keys of live mode begin with dsb_live_."
    : "Keys of this sandbox begin with dsb_test_.";
}

const essence = /^([\w.+-]+\/[\w.+-]+)(?:$|[ ;])/;

const charsetName = /^[\w.:+-]{1,40}$/;

/** Tells what was sent in place of a body of one of the types. */
export function mediaTypeHint(
  type = "",
  encoding?: string,
  types: readonly string[] = ["application/json"],
): string {
  if (encoding !== undefined) return "It has a Content-Encoding. Send it without.";
  const send = `Send ${types.map((each) => `\`Content-Type: ${each}\``).join(" or ")}.`;
  if (type === "") return `It has no Content-Type. ${send}`;
  const [, sent] = essence.exec(type) ?? [];
  if (sent === undefined) return `Its Content-Type is invalid. ${send}`;
  const charset = charsetOf(type)?.toLowerCase() ?? "utf-8";
  if (charset === "utf-8") return `It is ${sent}. ${send}`;
  const named = charsetName.test(charset) ? `${charset}, not` : "not";
  return `Its charset is ${named} UTF-8. ${send}`;
}

const idShape = /^[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}$/;

/** Returns `beneficiary` for `beneficiary_id` and `beneficiaryId`. */
function nounOf(field: string): IdNoun | undefined {
  const noun = field.replace(/_?id$/i, "");
  return noun !== field && Object.hasOwn(idPrefixes, noun) ? (noun as IdNoun) : undefined;
}

/**
 * Names the ids in path and body that are of another kind than their field. Only their prefixes
 * count, so that nothing tells whether a record exists.
 */
export function otherKinds(
  params: Readonly<Record<string, string>>,
  body: JsonObject,
): readonly Violation[] {
  return [...Object.entries(params), ...Object.entries(body)].flatMap(([field, value]) => {
    const expected = nounOf(field);
    if (expected === undefined || typeof value !== "string" || !idShape.test(value)) return [];
    const problem = otherKindProblem(expected, value);
    return problem === undefined ? [] : [{ field, problem }];
  });
}

/** Returns a service's violations. Those of ids of another kind replace its own of the same field. */
export function withKinds(
  own: readonly WireViolation[],
  kinds: readonly WireViolation[],
): readonly WireViolation[] {
  const isOther = ({ field }: WireViolation) => kinds.every((kind) => kind.field !== field);
  return [...own.filter(isOther), ...kinds];
}

const plain = (field: string) => field.toLowerCase().replaceAll(/[_-]/g, "");

/** Adds to each missing field the unknown field that has its name in another case. */
export function withMisspelt(
  violations: readonly WireViolation[],
  unknown: readonly string[],
): readonly WireViolation[] {
  return violations.map((violation) => {
    if (violation.rule !== "required") return violation;
    const sent = unknown.find((each) => plain(each) === plain(violation.field));
    if (sent === undefined) return violation;
    return { ...violation, message: `${violation.message}, and ${sent} is not known here` };
  });
}
