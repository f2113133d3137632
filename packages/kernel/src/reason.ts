import { type Refused, refused } from "./refusal.ts";
import { cleanText, textProblem } from "./text.ts";

/**
 * The minimum and maximum length of a reason. A useful reason states a fact and its source, which
 * needs some characters.
 */
const [reasonMin, reasonMax] = [10, 1_000];

/** Cleans an operator's reason or note, and refuses a wrong length or a forbidden character. */
export function readReason(text: string, field = "reason"): string | Refused<"INVALID_REQUEST"> {
  const reason = cleanText(text);
  const isSized = reason.length >= reasonMin && reason.length <= reasonMax;
  if (isSized && textProblem(reason) === undefined) return reason;
  const length = `${reasonMin} to ${reasonMax}`;
  return refused("INVALID_REQUEST", `${field}: must be ${length} printable characters`);
}
