import type { Violation } from "@disburse/kernel/refusal.ts";
import type { DeliveryState } from "../../deliveries/rules/delivery.ts";

/** States in which a delivery can be replayed. The endpoint of a cancelled delivery is deleted. */
export type ReplayableState = Exclude<DeliveryState, "cancelled">;

/** Selects the deliveries of an endpoint that a replay sends again. */
export type ReplayTerms = {
  readonly endpointId: string;
  /** Start of the originals' creation times, inclusive. */
  readonly since: Date;
  /** End of the originals' creation times, exclusive. */
  readonly until: Date;
  readonly states: readonly ReplayableState[];
  /** Selects originals as a subscription does. Empty for all types. */
  readonly eventTypes: readonly string[];
  /** Maximum deliveries that the replay creates per second. */
  readonly rate: number;
};

export type ReplayRequest = Omit<ReplayTerms, "until"> & { readonly until: Date | undefined };

/** Maximum time span of a replay. Equals the retention of ended deliveries (webhooks: data). */
export const windowMaxMs = 30 * 86_400_000;

/**
 * Returns the terms of a replay that is requested at `now`. Deliveries that are created later are
 * not replayed.
 */
export function replayTerms(request: ReplayRequest, now: Date): ReplayTerms | readonly Violation[] {
  const { since } = request;
  if (since >= now) return [{ field: "since", problem: "must be in the past" }];
  if (request.until !== undefined && request.until <= since) {
    return [{ field: "until", problem: "must be after since" }];
  }
  const until = request.until === undefined || request.until > now ? now : request.until;
  if (until.getTime() - since.getTime() > windowMaxMs) {
    return [{ field: "since", problem: "must be at most 30 days before until" }];
  }
  return { ...request, until };
}

export function isSameReplay(one: ReplayTerms, other: ReplayTerms): boolean {
  return (
    one.endpointId === other.endpointId &&
    one.since.getTime() === other.since.getTime() &&
    one.until.getTime() === other.until.getTime() &&
    one.rate === other.rate &&
    one.states.toSorted().join() === other.states.toSorted().join() &&
    one.eventTypes.toSorted().join() === other.eventTypes.toSorted().join()
  );
}

/** Time between two pages. A page contains as many deliveries as the rate allows in this time. */
export const pageEveryMs = 1_000;

export type ReplayTransition =
  | { readonly state: "running"; readonly nextPageAt: Date }
  | { readonly state: "done" | "cancelled" };

/**
 * Returns the next state after a page was queued. The wait for the next page starts when this page
 * is written, so no second exceeds `rate`.
 */
export function transitionAfterPage(isLast: boolean, now: Date): ReplayTransition {
  if (isLast) return { state: "done" };
  return { state: "running", nextPageAt: new Date(now.getTime() + pageEveryMs) };
}

/** Interval at which a replay is checked again while its endpoint is suspended. */
export const recheckEveryMs = 10_000;

/**
 * Makes a replay wait while its endpoint is suspended. Otherwise all its deliveries would be due at
 * once when the endpoint is resumed.
 */
export function transitionWhileNotLive(now: Date): ReplayTransition {
  return { state: "running", nextPageAt: new Date(now.getTime() + recheckEveryMs) };
}
