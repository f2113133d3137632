import type { DescMethod } from "@bufbuild/protobuf";

/** How often a call is sent at most. */
export const triesMax = 3;
/** The pause before the second try; it doubles. */
const pauseMs = 50;
/** Repeats are at most this share of calls, so that they do not double an overload. */
const budgetShare = 0.1;
/** Saved up by calls that needed no repeat: what is under way when one endpoint ends. */
const budgetMax = 100;

/** Why a call has no answer. */
export type NoAnswerReason =
  /** No connection was made: nothing was sent. */
  | "refused"
  /** The connection ended after the call was sent. */
  | "broken"
  /** The endpoint answers nothing at all. */
  | "hung";

/** The verbs of RPCs that change nothing. */
const reads = /^(Get|List|Resolve|Check|Compare|Describe|Export)/;

/**
 * Whether sending a call twice has the effect of sending it once: a read, or a mutation, which its
 * service applies once by `mutation.operation_id`. A stream is never sent again.
 */
export function isRepeatable({ methodKind, name, input }: DescMethod): boolean {
  if (methodKind !== "unary") return false;
  return reads.test(name) || input.field.mutation?.message?.name === "Mutation";
}

/** The pause before a try, spread by half around its middle; `tries` were made before. */
export function pauseBefore(tries: number, random: () => number): number {
  return pauseMs * 2 ** (tries - 1) * (0.5 + random());
}

/** Counts calls, and grants repeats while they are few among them. */
export function createRepeatBudget() {
  let saved = budgetMax;
  return {
    called: () => {
      saved = Math.min(saved + budgetShare, budgetMax);
    },
    /** Whether one more repeat may be made; it is counted. */
    take: () => {
      if (saved < 1) return false;
      saved -= 1;
      return true;
    },
  };
}
