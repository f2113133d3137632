import type { Violation } from "@disburse/kernel/refusal.ts";
import type { DeliveryState } from "../../deliveries/rules/delivery.ts";

/** How a delivery has ended that can be sent once more: on its way, or without an endpoint, not. */
export type ReplayableState = Extract<DeliveryState, "exhausted" | "delivered">;

/** Many deliveries of an endpoint, to be sent once more. */
export type ReplayTerms = {
  readonly endpointId: string;
  /** Of when the originals were made: inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
  readonly states: readonly ReplayableState[];
  /** New deliveries in a second, at most. */
  readonly rate: number;
};

/** Requested terms. */
export type ReplayRequest = Omit<ReplayTerms, "until"> & { readonly until: Date | undefined };

/** As long as deliveries are kept after their end (webhooks: data). */
export const windowMaxMs = 30 * 86_400_000;

/** The terms of a replay that is asked for at `now`, whose later deliveries are none of it. */
export function replayTerms(asked: ReplayRequest, now: Date): ReplayTerms | readonly Violation[] {
  const { since } = asked;
  if (since >= now) return [{ field: "since", problem: "must be in the past" }];
  if (asked.until !== undefined && asked.until <= since) {
    return [{ field: "until", problem: "must be after since" }];
  }
  const until = asked.until === undefined || asked.until > now ? now : asked.until;
  if (until.getTime() - since.getTime() > windowMaxMs) {
    return [{ field: "since", problem: "must be at most 30 days before until" }];
  }
  return { ...asked, until };
}

/** Whether two terms are the same. */
export function isSameReplay(one: ReplayTerms, other: ReplayTerms): boolean {
  return (
    one.endpointId === other.endpointId &&
    one.since.getTime() === other.since.getTime() &&
    one.until.getTime() === other.until.getTime() &&
    one.rate === other.rate &&
    one.states.toSorted().join() === other.states.toSorted().join()
  );
}

/** A page has as many as may go out in this time. */
export const pageEveryMs = 1_000;

/** What becomes of a replay. */
export type ReplayTransition =
  | { readonly state: "running"; readonly nextPageAt: Date }
  | { readonly state: "done" | "cancelled" };

/** What a page leaves to do; the next waits from its write, so that no second exceeds `rate`. */
export function transitionAfterPage(
  { rate }: Pick<ReplayTerms, "rate">,
  sent: number,
  now: Date,
): ReplayTransition {
  if (sent < rate) return { state: "done" };
  return { state: "running", nextPageAt: new Date(now.getTime() + pageEveryMs) };
}

/** How often the replay of a suspended endpoint is checked. */
export const lookAgainMs = 10_000;

/** A replay of a suspended endpoint waits: all it queued would be due at once on resumption. */
export function transitionWhileNotLive(now: Date): ReplayTransition {
  return { state: "running", nextPageAt: new Date(now.getTime() + lookAgainMs) };
}
