import { reportRejection } from "../../rejections.ts";
import { unavailable } from "../unavailable.ts";
import { type Address, addressesOf, hasName, type ResolveHost, resolveHost } from "./addresses.ts";
import type { Securing } from "./connecting.ts";
import { createEndpoint, type Endpoint, type OpenStreams } from "./endpoint.ts";
import type { ObserveClient } from "./observe.ts";
import { createRoster } from "./roster.ts";
import { createWatch } from "./watch.ts";

/**
 * The interval between two look-ups of host names. A new replica gets calls after about this time.
 * A cluster's name server caches for as long.
 */
const resolveEveryMs = 5_000;
/**
 * The share by which the interval varies, so that clients that started together do not look up
 * names at the same time.
 */
const jitterShare = 0.2;

type ResolutionOptions = {
  readonly resolve?: ResolveHost;
  readonly resolveEveryMs?: number;
};

/** An endpoint with its number of pending calls. */
type Loaded = { readonly calls: { readonly size: number } };

/** The processes of a service that one client knows. */
export type Endpoints = ReturnType<typeof createEndpoints>;

export type EndpointsOptions = ResolutionOptions & {
  readonly observe: ObserveClient;
  readonly openStreams: OpenStreams;
  /** Absent for connections without mutual TLS. */
  readonly securing?: Securing | undefined;
};

/** Tracks the endpoints of a service's URLs. Resolves host names again every few seconds. */
export function createEndpoints(urls: readonly string[], options: EndpointsOptions) {
  let known = new Map<string, Endpoint>();
  const roster = createRoster(options.observe);
  const watch = createWatch(roster);
  const replace = (addresses: readonly Address[]) => {
    const previous = known;
    const kept = (address: Address) =>
      previous.get(address.key) ?? createEndpoint(address, options.openStreams, options.securing);
    known = new Map(addresses.map((address) => [address.key, kept(address)]));
    for (const [key, endpoint] of previous) if (!known.has(key)) endpoint.retire();
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
  // Literal addresses need no look-up.
  if (!urls.some(hasName)) replace(urls.map((url) => ({ key: url, url })));
  return {
    /**
     * Chooses an endpoint that is not among those already `tried`. Returns none before the first
     * look-up.
     */
    choose,
    /**
     * Waits until host names are resolved and returns an endpoint. Rejects with UNAVAILABLE if no
     * name has an address.
     */
    resolved: async (): Promise<Endpoint> => {
      await resolution.run();
      const first = choose();
      if (first === undefined) throw unavailable(new Error("the host name does not resolve"));
      return first;
    },
    /** Returns true if there are several endpoints. */
    areSeveral: () => known.size > 1,
    candidates: roster.candidates,
    /** Reports that the endpoint refused or broke a connection. */
    failed: (endpoint: Endpoint, reason: "refused" | "broken") => roster.eject(endpoint, reason),
    suspect: watch.suspect,
    close: () => {
      resolution.stop();
      const open = [...known.values()];
      replace([]);
      for (const endpoint of open) endpoint.destroy();
    },
  };
}

/**
 * Draws two endpoints at random and returns the one with fewer pending calls ("power of two
 * choices"). The result is close to the best of all endpoints, and different clients choose
 * different endpoints (M. Mitzenmacher, 2001). `random` returns a number from 0 to under 1.
 */
export function chosen<E extends Loaded>(endpoints: readonly E[], random: () => number): E {
  const first = Math.floor(random() * endpoints.length);
  const others = endpoints.length - 1;
  const second = (first + 1 + Math.floor(random() * others)) % endpoints.length;
  const [one, other] = [endpoints[first], endpoints[second]];
  if (one === undefined || other === undefined) throw new Error("the list of endpoints is empty");
  return other.calls.size < one.calls.size ? other : one;
}

/** Resolves the host names of URLs repeatedly, starting at the first request. */
function createResolution(
  urls: readonly string[],
  { resolve = resolveHost, resolveEveryMs: everyMs = resolveEveryMs }: ResolutionOptions,
  found: (addresses: readonly Address[]) => void,
) {
  const last = new Map<string, readonly Address[]>();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const find = async (url: string) => {
    // If a name does not resolve, its last known addresses are kept.
    const addresses = await addressesOf(url, resolve).catch(() => []);
    if (addresses.length > 0) last.set(url, addresses);
  };
  const findAll = async () => {
    await Promise.all(urls.map(find));
    if (isClosed) return;
    const pauseMs = everyMs * (1 + jitterShare * (Math.random() - 0.5));
    timer = setTimeout(again, pauseMs).unref();
    found(urls.flatMap((url) => last.get(url) ?? []));
  };
  const run = () => {
    clearTimeout(timer);
    running ??= findAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  const again = () => {
    run().catch(reportRejection);
  };
  return {
    /** Resolves all names now. Concurrent calls share the look-ups. */
    run,
    stop: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
