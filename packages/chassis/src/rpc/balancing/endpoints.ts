import { unavailable } from "../unavailable.ts";
import { type Address, hasName } from "./addresses.ts";
import { chosen } from "./choice.ts";
import type { Securing } from "./connecting.ts";
import { createEndpoint, type Endpoint, type OpenStreams } from "./endpoint.ts";
import type { ObserveClient } from "./observe.ts";
import { createResolution, type ResolutionOptions } from "./resolution.ts";
import { createRoster } from "./roster.ts";
import { createWatch } from "./watch.ts";

/** The processes of a service as one client knows them. */
export type Endpoints = ReturnType<typeof createEndpoints>;

/** How a client finds its endpoints, and where it says what became of them. */
export type EndpointsOptions = ResolutionOptions & {
  readonly observe: ObserveClient;
  readonly openStreams: OpenStreams;
  /** Absent where connections are not of mutual TLS. */
  readonly securing?: Securing | undefined;
};

/** The endpoints of a service at URLs; host names are resolved again every few seconds. */
export function createEndpoints(urls: readonly string[], options: EndpointsOptions) {
  let known = new Map<string, Endpoint>();
  const roster = createRoster(options.observe);
  const watch = createWatch(roster);
  const replace = (addresses: readonly Address[]) => {
    const before = known;
    const kept = (address: Address) =>
      before.get(address.key) ?? createEndpoint(address, options.openStreams, options.securing);
    known = new Map(addresses.map((address) => [address.key, kept(address)]));
    for (const [key, endpoint] of before) if (!known.has(key)) endpoint.retire();
    roster.replace([...known.values()]);
    watch.adjust();
  };
  const resolution = createResolution(urls, options, replace);
  const choose = (tried?: ReadonlySet<Endpoint>): Endpoint | undefined => {
    const all = roster.candidates();
    const untried = tried === undefined ? all : all.filter((endpoint) => !tried.has(endpoint));
    const those = untried.length === 0 ? all : untried;
    return those.length < 2 ? those[0] : chosen(those, Math.random);
  };
  // Literal addresses are known without a look-up.
  if (!urls.some(hasName)) replace(urls.map((url) => ({ key: url, url })));
  return {
    /** The endpoint for a call that had no answer from those `tried`; at first none is known. */
    choose,
    /** The first endpoint, once host names are resolved; UNAVAILABLE where none has an address. */
    resolved: async (): Promise<Endpoint> => {
      await resolution.run();
      const first = choose();
      if (first === undefined) throw unavailable(new Error("the host name does not resolve"));
      return first;
    },
    /** Whether a call may be sent to another endpoint. */
    areSeveral: () => known.size > 1,
    candidates: roster.candidates,
    /** The endpoint refused or broke a connection. */
    failed: (endpoint: Endpoint, reason: "refused" | "broken") => roster.eject(endpoint, reason),
    doubt: watch.doubt,
    close: () => {
      resolution.stop();
      const open = [...known.values()];
      replace([]);
      for (const endpoint of open) endpoint.destroy();
    },
  };
}
