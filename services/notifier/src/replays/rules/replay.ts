import type { Violation } from "@disburse/kernel/refusal.ts";
import type { DeliveryState } from "../../deliveries/rules/delivery.ts";

/** States of deliveries that can be replayed. Pending and cancelled ones can't. */
export type ReplayableState = Extract<DeliveryState, "exhausted" | "delivered">;

/** Selects an endpoint's deliveries to redeliver. */
export type ReplayTerms = {
  readonly endpointId: string;
  /** Earliest creation time of the originals, inclusive. */
  readonly since: Date;
  /** Creation time of the originals, exclusive. */
  readonly until: Date;
  readonly states: readonly ReplayableState[];
  /** Maximum new deliveries per second. */
  readonly rate: number;
};

export type ReplayRequest = Omit<ReplayTerms, "until"> & { readonly until: Date | undefined };

/** Equals the retention of ended deliveries (webhooks: data). */
export const windowMaxMs = 30 * 86_400_000;

/** Returns the terms of a replay requested at `now`. It excludes later deliveries. */
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
    one.states.toSorted().join() === other.states.toSorted().join()
  );
}

/** A page has as many deliveries as the rate allows in this time. */
export const pageEveryMs = 1_000;

export type ReplayTransition =
  | { readonly state: "running"; readonly nextPageAt: Date }
  | { readonly state: "done" | "cancelled" };

/**
 * Decides the next state after a page. The next page waits from this page's write, so that no
 * second exceeds `rate`.
 */
export function transitionAfterPage(
  { rate }: Pick<ReplayTerms, "rate">,
  sent: number,
  now: Date,
): ReplayTransition {
  if (sent < rate) return { state: "done" };
  return { state: "running", nextPageAt: new Date(now.getTime() + pageEveryMs) };
}

/** Interval of rechecking a replay whose endpoint is suspended. */
export const recheckEveryMs = 10_000;

/**
 * Makes a suspended endpoint's replay wait, because all its deliveries would be due at once on
 * resumption.
 */
export function transitionWhileNotLive(now: Date): ReplayTransition {
  return { state: "running", nextPageAt: new Date(now.getTime() + recheckEveryMs) };
}
