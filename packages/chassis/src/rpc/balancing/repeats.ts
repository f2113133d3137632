import type { DescMethod } from "@bufbuild/protobuf";

export const triesMax = 3;
/** The pause before the second attempt; it doubles. */
const pauseMs = 50;
/** Repeats are at most this share of calls, so that they do not double an overload. */
const budgetShare = 0.1;
/** Calls without repeats save up to this many: those in flight when one endpoint ends. */
const budgetMax = 100;

/** The reason why a call has no answer. */
export type NoAnswerReason =
  /** No connection: nothing was sent. */
  | "refused"
  /** The connection ended after the call was sent. */
  | "broken"
  /** The endpoint answers nothing at all. */
  | "hung";

/** The verbs of RPCs that change nothing. */
const reads = /^(Get|List|Resolve|Check|Compare|Describe|Export)/;

/**
 * True if sending a call twice has the effect of sending it once: a read, or a mutation, which its
 * service applies once by `mutation.operation_id`. A stream is never sent again.
 */
export function isRepeatable({ methodKind, name, input }: DescMethod): boolean {
  if (methodKind !== "unary") return false;
  return reads.test(name) || input.field.mutation?.message?.name === "Mutation";
}

/** The pause after `tries` attempts, spread by half around its middle. */
export function pauseBefore(tries: number, random: () => number): number {
  return pauseMs * 2 ** (tries - 1) * (0.5 + random());
}

/** Counts calls, and allows repeats while they are a small share. */
export function createRepeatBudget() {
  let saved = budgetMax;
  return {
    called: () => {
      saved = Math.min(saved + budgetShare, budgetMax);
    },
    /** Takes one repeat from the budget; false if it is used up. */
    take: () => {
      if (saved < 1) return false;
      saved -= 1;
      return true;
    },
  };
}
