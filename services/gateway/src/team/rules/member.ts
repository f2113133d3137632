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

/** Maximum length of a name. People's names are shorter. The console shows names in tables. */
const nameMax = 100;

/**
 * The email is compared with the email that a provider has verified. Notifications go to it only
 * after that. Signs that separate or quote addresses (RFC 5322, 3.2.3) are not permitted, so that
 * one email is never read as another, or as several.
 */
const emailPattern =
  /^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@.,;:<>"()[\]\\]+(?:\.[^\s@.,;:<>"()[\]\\]+)+$/;
/**
 * Maximum length of an email. RFC 5321 (4.5.3.1.3) allows a path of 256 octets, including two
 * brackets.
 */
const emailMax = 254;

/**
 * Converts an email to the form in which emails are compared. Providers ignore upper and lower
 * case.
 */
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
