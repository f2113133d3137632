import { isId } from "@disburse/kernel/id.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import type { MemberRole } from "./role.ts";

export type MemberOrder = {
  readonly merchantId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
};

/** Longer than people's names. It is shown in tables. */
const nameMax = 100;

/** The address is compared with the one that a provider verified. No message is sent to it. */
const emailPattern = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;
/** RFC 5321, 4.5.3.1.3: a path of 256 octets with its brackets. */
const emailMax = 254;

/** Normalises an email for comparison. Providers ignore upper and lower case. */
export function comparedEmail(email: string): string {
  return cleanText(email).toLowerCase();
}

/** Checks all fields of a new member. */
export function memberOrder({
  merchantId,
  email,
  name,
  role,
}: Omit<MemberOrder, "role"> & { readonly role: MemberRole | undefined }):
  | MemberOrder
  | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const must = (holds: boolean, field: string, problem: string) => {
    if (!holds) violations.push({ field, problem });
  };
  const [clean, compared] = [cleanText(name), comparedEmail(email)];
  const length = Array.from(clean).length;
  const problem = textProblem(name);
  must(isId("merchant", merchantId), "merchant_id", "must be a merchant's id");
  const isEmail = emailPattern.test(compared) && compared.length <= emailMax;
  must(isEmail, "email", "must be a valid email address");
  must(length >= 1 && length <= nameMax, "name", `must be 1 to ${nameMax} characters`);
  must(problem === undefined, "name", problem ?? "");
  must(role !== undefined, "role", "must be viewer, maker, approver or admin");
  if (violations.length > 0 || role === undefined) return invalidRequest(violations);
  return { merchantId, email: compared, name: clean, role };
}
