import type {
  AlertState as AlertStateCode,
  Decision as DecisionCode,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { type AlertStateKind, type Decision, waitingKinds } from "./rules/alert.ts";
import { decisionOf, stateOf } from "./wire.ts";

type Invalid = Refused<"INVALID_REQUEST">;

/** A reason says what was compared, and with what. */
const [reasonMin, reasonMax] = [10, 1_000];

export function readReason(text: string): string | Invalid {
  const reason = cleanText(text);
  const isSized = reason.length >= reasonMin && reason.length <= reasonMax;
  if (isSized && textProblem(reason) === undefined) return reason;
  const length = `${reasonMin} to ${reasonMax}`;
  return refused("INVALID_REQUEST", `reason: must be ${length} plain characters`);
}

const personText = /^[\x21-\x7e]{0,128}$/;

export function readAssignee(text: string): string | Invalid {
  if (personText.test(text)) return text;
  return refused("INVALID_REQUEST", "assignee: must be at most 128 printable characters");
}

export function readDecision(code: DecisionCode): Decision | Invalid {
  return decisionOf(code) ?? refused("INVALID_REQUEST", "decision: is required");
}

/** The states of a filter; what waits for a person where none is named. */
export function readStates(codes: readonly AlertStateCode[]): readonly AlertStateKind[] | Invalid {
  if (codes.length === 0) return waitingKinds;
  const kinds = new Set(codes.map(stateOf));
  const known = [...kinds].filter((kind) => kind !== undefined);
  return known.length === kinds.size
    ? known
    : refused("INVALID_REQUEST", "states: must be states of alerts");
}

/** Before which entry of the audit trail a page starts; `undefined` for the newest. */
export function readBefore(cursor: string): number | undefined | Invalid {
  if (cursor === "") return undefined;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  return refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}
