import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";

/** How a caller wants a request to be read and answered. */
export type Preferences = {
  /** Refuse fields of the body that are not known, instead of ignoring them. */
  readonly isStrict: boolean;
  /** Answer amounts as JSON strings, for clients whose JSON numbers are floats. */
  readonly textAmounts: boolean;
};

/** The headers of a request, by their names in lower case; repeated ones are joined. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const strict = "Disburse-Strict";
const amounts = "Disburse-Amounts";

/** The preferences of a request: by its headers, each of one word out of two. */
export function readPreferences(headers: Headers): Preferences | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const read = (name: string, words: readonly [usual: string, preferred: string]): boolean => {
    const sent = headers[name.toLowerCase()];
    if (sent === undefined || sent === words[0]) return false;
    if (sent !== words[1]) {
      violations.push({ field: name, problem: `must be one of ${words.join(", ")}` });
    }
    return true;
  };
  const isStrict = read(strict, ["false", "true"]);
  const textAmounts = read(amounts, ["number", "string"]);
  return violations.length > 0 ? invalidRequest(violations) : { isStrict, textAmounts };
}
