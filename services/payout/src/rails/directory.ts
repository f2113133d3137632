import { SettingsError } from "@disburse/chassis/settings.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Transfer, TransferKind } from "@disburse/rail/capabilities.ts";
import type { Rail, Shortage } from "@disburse/rail/rail.ts";
import {
  isPayable,
  type Route,
  type RoutingRefusal,
  railFor,
  railOf,
  routeProblems,
} from "./rules/routing.ts";

/**
 * The reason why a transfer waits. Either no rail can take it, or its rail takes no new transfers
 * at present.
 */
export type Unavailability = RoutingRefusal | TemporaryUnavailability;
type TemporaryUnavailability = "PAUSED" | "DOWN" | Shortage;

export type RailDirectory = ReturnType<typeof createRailDirectory>;

/** A rail that does not respond within this time counts as down. */
const availableTimeoutMs = 1_000;

/**
 * Creates the directory of rails. Throws `SettingsError` if a route sends transfers to a rail that
 * can't pay them.
 */
export function createRailDirectory(
  rails: readonly Rail[],
  routes: readonly Route[],
  isPaused: (rail: string) => Promise<boolean>,
) {
  const byName = new Map(rails.map((rail) => [rail.name, rail]));
  const capabilities = new Map(rails.map((rail) => [rail.name, rail.capabilities]));
  const problems = routeProblems(routes, capabilities);
  if (problems.length > 0) throw new SettingsError(`RAIL_ROUTES: ${problems.join("; ")}`);
  const unavailability = async (rail: Rail): Promise<TemporaryUnavailability | undefined> => {
    if (await isPaused(rail.name)) return "PAUSED";
    return (await isAvailable(rail)) ? undefined : "DOWN";
  };
  const shortageOf = async (rail: Rail, transfer: Transfer) =>
    (await unavailability(rail)) ?? (await rail.shortage?.(transfer));
  return {
    all: rails,
    /** Returns the rail for a transfer, or the reason why the transfer waits. */
    choose: async (transfer: Transfer): Promise<Rail | Unavailability> => {
      const name = railFor(routes, capabilities, transfer);
      if (isRefused(name)) return name.refused;
      const rail = byName.get(name);
      if (rail === undefined) return "NO_ROUTE";
      return (await shortageOf(rail, transfer)) ?? rail;
    },
    /** Returns the reason why a chosen rail does not take a transfer now. */
    shortageOf,
    /**
     * Returns true if at least one kind of transfer in a currency has a rail, even a paused or
     * unavailable one.
     */
    pays: (currency: string): boolean => isPayable(routes, capabilities, currency),
    /** Returns the rail for a kind of transfer, even a paused or unavailable one. */
    railOf: (kind: TransferKind): Rail | undefined => {
      const name = railOf(routes, capabilities, kind);
      return isRefused(name) ? undefined : byName.get(name);
    },
    /** Returns the reason why a rail takes no new transfers now. */
    unavailability,
    /**
     * Asks a rail to withdraw the transfer with a key. Returns true if the rail will never pay it.
     * Also returns true if the rail can't withdraw or is not configured, because operators have
     * then checked the transfer.
     */
    withdraw: async (name: string, key: string): Promise<boolean> =>
      (await byName.get(name)?.withdraw?.(key)) ?? true,
    /** Returns a rail by name, even one without a route. */
    named: (name: string) => byName.get(name),
  };
}

/** Returns true if a rail takes new transfers now. */
export async function isAvailable(rail: Rail): Promise<boolean> {
  try {
    return await withTimeout(
      availableTimeoutMs,
      () => rail.available(),
      () => false,
    );
  } catch {
    // An error counts as unavailable. The rail is checked again before each transfer.
    return false;
  }
}
