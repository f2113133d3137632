import type { Endpoint, EndpointSettings, PauseReason } from "./endpoint.ts";

type Pausable = Pick<Endpoint, "pausedAt" | "pausedFor" | "resumedAt" | "pausedMs">;

/** Returns the settings to change. A paused endpoint keeps its first reason. */
export function pause(
  endpoint: Pausable,
  reason: PauseReason,
  at: Date,
): Partial<EndpointSettings> {
  return endpoint.pausedAt === undefined ? { pausedAt: at, pausedFor: reason } : {};
}

/** Returns the settings to change. A pause doesn't count towards any delivery's 24 hours. */
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
