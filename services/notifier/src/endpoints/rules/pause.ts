import type { Endpoint, EndpointSettings, PauseReason } from "./endpoint.ts";

type Pausable = Pick<Endpoint, "pausedAt" | "pausedFor" | "resumedAt" | "pausedMs">;

/**
 * Returns the settings that a pause changes. If the endpoint is already paused, the first reason
 * stays.
 */
export function pause(
  endpoint: Pausable,
  reason: PauseReason,
  at: Date,
): Partial<EndpointSettings> {
  return endpoint.pausedAt === undefined ? { pausedAt: at, pausedFor: reason } : {};
}

/**
 * Returns the settings that a resumption changes. The duration of a pause doesn't count towards the
 * 24 hours of a delivery.
 */
export function resume(endpoint: Pausable, at: Date): Partial<EndpointSettings> {
  const { pausedAt, pausedMs = 0 } = endpoint;
  if (pausedAt === undefined) return {};
  return {
    pausedAt: undefined,
    pausedFor: undefined,
    resumedAt: at,
    pausedMs: pausedMs + Math.max(0, at.getTime() - pausedAt.getTime()),
  };
}
