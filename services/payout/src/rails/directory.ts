import { SettingsError } from "@disburse/chassis/settings.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Rail } from "./rail.ts";
import {
  type Route,
  type RoutingRefusal,
  railFor,
  routeProblems,
  type Transfer,
} from "./rules/routing.ts";

/** Why a transfer waits in the queue: nobody can send it, or its rail takes nothing new now. */
export type Unavailability = { readonly waits: RoutingRefusal | Away };
type Away = "PAUSED" | "DOWN";

/** The rails of a deployment. */
export type RailDirectory = {
  readonly all: readonly Rail[];
  /** The rail that a transfer goes to now, or why it waits. */
  choose(transfer: Transfer): Promise<Rail | Unavailability>;
  /** Whether a rail takes nothing new now, and why. */
  unavailability(rail: Rail): Promise<Away | undefined>;
  /** The rail of a name, whatever the routes say by now. */
  named(name: string): Rail | undefined;
};

/** A rail that does not say in this time whether it takes transfers takes none. */
const availableTimeoutMs = 1_000;

/**
 * Makes the directory; routes that a rail's declared capabilities do not cover end the process.
 * `isPaused` tells whether an operator has paused a rail.
 */
export function createRailDirectory(
  rails: readonly Rail[],
  routes: readonly Route[],
  isPaused: (rail: string) => Promise<boolean>,
): RailDirectory {
  const byName = new Map(rails.map((rail) => [rail.name, rail]));
  const capabilities = new Map(rails.map((rail) => [rail.name, rail.capabilities]));
  const problems = routeProblems(routes, capabilities);
  if (problems.length > 0) throw new SettingsError(`RAIL_ROUTES: ${problems.join("; ")}`);
  const unavailability = async (rail: Rail): Promise<Away | undefined> => {
    if (await isPaused(rail.name)) return "PAUSED";
    return (await isAvailable(rail)) ? undefined : "DOWN";
  };
  return {
    all: rails,
    choose: async (transfer) => {
      const name = railFor(routes, capabilities, transfer);
      if (isRefused(name)) return { waits: name.refused };
      const rail = byName.get(name);
      if (rail === undefined) return { waits: "NO_ROUTE" };
      const waits = await unavailability(rail);
      return waits === undefined ? rail : { waits };
    },
    unavailability,
    named: (name) => byName.get(name),
  };
}

/** Whether a rail takes new transfers now, by its own word. */
export async function isAvailable(rail: Rail): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), availableTimeoutMs);
  try {
    return await Promise.race([rail.available(), late.promise]);
  } catch {
    // A rail that cannot even say so takes nothing now; it is asked again before each transfer.
    return false;
  } finally {
    clearTimeout(timer);
  }
}
