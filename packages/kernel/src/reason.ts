import { type Refused, refused } from "./refusal.ts";
import { cleanText, textProblem } from "./text.ts";

/** A reason says what was learned and from where. */
const [reasonMin, reasonMax] = [10, 1_000];

/** An operator's reason or note, cleaned; refused where its length or a character is not allowed. */
export function readReason(text: string, field = "reason"): string | Refused<"INVALID_REQUEST"> {
  const reason = cleanText(text);
  const isSized = reason.length >= reasonMin && reason.length <= reasonMax;
  if (isSized && textProblem(reason) === undefined) return reason;
  const length = `${reasonMin} to ${reasonMax}`;
  return refused("INVALID_REQUEST", `${field}: must be ${length} plain characters`);
}
