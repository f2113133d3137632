import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { RailCapabilities, Transfer, TransferKind } from "@disburse/rail/capabilities.ts";

/**
 * Sends the transfers that meet its conditions to a rail. An absent condition matches everything.
 */
export type Route = {
  readonly currency?: string | undefined;
  readonly network?: string | undefined;
  readonly transferType?: string | undefined;
  readonly rail: string;
};

/** The reason why no rail can take a transfer, until the routes or a rail's limits change. */
export type RoutingRefusal = "NO_ROUTE" | "NOT_CAPABLE" | "OUTSIDE_LIMITS";

/** The capabilities of rails by name. */
export type RailsByName = ReadonlyMap<string, RailCapabilities>;

/**
 * Returns the rail of the first matching route. If that rail can't take the transfer, no other
 * route is tried.
 */
export function railFor(
  routes: readonly Route[],
  rails: RailsByName,
  transfer: Transfer,
): string | Refused<RoutingRefusal> {
  const rail = railOf(routes, rails, transfer);
  if (isRefused(rail)) return rail;
  const { amount, currency } = transfer;
  const { min = amount, max = amount } = rails.get(rail)?.limits[currency] ?? {};
  return amount >= min && amount <= max ? rail : refused("OUTSIDE_LIMITS");
}

/** Returns the rail for a kind of transfer, regardless of the amount. */
export function railOf(
  routes: readonly Route[],
  rails: RailsByName,
  kind: TransferKind,
): string | Refused<"NO_ROUTE" | "NOT_CAPABLE"> {
  const route = routes.find((each) => isMatch(each, kind));
  const capabilities = route && rails.get(route.rail);
  if (route === undefined || capabilities === undefined) return refused("NO_ROUTE");
  return isCapable(capabilities, kind) ? route.rail : refused("NOT_CAPABLE");
}

/** Returns true if a rail pays a currency with at least one transfer method and network. */
export function isPayable(routes: readonly Route[], rails: RailsByName, currency: string): boolean {
  for (const { rail, network, transferType, ...route } of routes) {
    if (route.currency !== undefined && route.currency !== currency) continue;
    const can = rails.get(rail);
    const isWay = network === undefined || can?.networks.includes(network);
    const isMethod = transferType === undefined || can?.transferMethods.includes(transferType);
    if (can?.currencies.includes(currency) && isWay && isMethod) return true;
    // This route takes every transfer in the currency, so later routes get none.
    if (network === undefined && transferType === undefined) return false;
  }
  return false;
}

function isMatch(route: Route, { currency, network, transferMethod }: TransferKind): boolean {
  return (
    (route.currency === undefined || route.currency === currency) &&
    (route.network === undefined || route.network === network) &&
    (route.transferType === undefined || route.transferType === transferMethod)
  );
}

function isCapable(
  { currencies, transferMethods, networks }: RailCapabilities,
  { currency, transferMethod, network }: TransferKind,
): boolean {
  const isNetwork = network === "" || networks.includes(network);
  return isNetwork && currencies.includes(currency) && transferMethods.includes(transferMethod);
}

/**
 * Returns the problems of the configured routes, as texts for operators. Empty if there are none.
 */
export function routeProblems(routes: readonly Route[], rails: RailsByName): string[] {
  return routes.flatMap((route, at) =>
    problemsOf(route, rails).map((problem) => `route ${at + 1}: ${problem}`),
  );
}

function problemsOf({ rail, currency, network, transferType }: Route, rails: RailsByName) {
  const capabilities = rails.get(rail);
  if (capabilities === undefined) return [`no rail is named ${rail}`];
  const lacks = (values: readonly string[], value: string | undefined) =>
    value === undefined || values.includes(value)
      ? []
      : [`the rail ${rail} does not support ${value}`];
  return [
    ...lacks(capabilities.currencies, currency),
    ...lacks(capabilities.networks, network),
    ...lacks(capabilities.transferMethods, transferType),
  ];
}
