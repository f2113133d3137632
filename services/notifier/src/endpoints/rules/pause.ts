import type { Endpoint, EndpointConfiguration, PauseReason } from "./endpoint.ts";

type Pausable = Pick<Endpoint, "pausedAt" | "pausedFor" | "resumedAt" | "pausedMs">;

/**
 * Returns the fields that a pause changes. If the endpoint is already paused, the first reason
 * stays.
 */
export function pause(
  endpoint: Pausable,
  reason: PauseReason,
  at: Date,
): Partial<EndpointConfiguration> {
  return endpoint.pausedAt === undefined ? { pausedAt: at, pausedFor: reason } : {};
}

/**
 * Returns the fields that a resumption changes. The duration of a pause doesn't count towards the
 * 24 hours of a delivery.
 */
export function resume(endpoint: Pausable, at: Date): Partial<EndpointConfiguration> {
  const { pausedAt, pausedMs = 0 } = endpoint;
  if (pausedAt === undefined) return {};
  return {
    pausedAt: undefined,
    pausedFor: undefined,
    resumedAt: at,
    pausedMs: pausedMs + Math.max(0, at.getTime() - pausedAt.getTime()),
  };
}
