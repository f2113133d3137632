import { reportRejection } from "../../rejections.ts";
import { unavailable } from "../unavailable.ts";
import { type Address, addressesOf, hasName, type ResolveHost, resolveHost } from "./addresses.ts";
import type { Securing } from "./connecting.ts";
import { createEndpoint, type Endpoint, type OpenStreams } from "./endpoint.ts";
import type { ObserveClient } from "./observe.ts";
import { createRoster } from "./roster.ts";
import { createWatch } from "./watch.ts";

/** A new replica gets calls after about this; a name server of a cluster caches as long. */
const resolveEveryMs = 5_000;
/** Spreads the look-ups of clients that started together. */
const jitterShare = 0.2;

type ResolutionOptions = {
  readonly resolve?: ResolveHost;
  readonly resolveEveryMs?: number;
};

/** An endpoint with its number of pending calls. */
type Loaded = { readonly calls: { readonly size: number } };

/** The processes of a service, as known to one client. */
export type Endpoints = ReturnType<typeof createEndpoints>;

export type EndpointsOptions = ResolutionOptions & {
  readonly observe: ObserveClient;
  readonly openStreams: OpenStreams;
  /** Absent for connections without mutual TLS. */
  readonly securing?: Securing | undefined;
};

/** Tracks the endpoints of a service's URLs; resolves host names again every few seconds. */
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
    /** Chooses an endpoint, not among those `tried`; before the first look-up none is known. */
    choose,
    /** The first endpoint, once host names are resolved; UNAVAILABLE if none has an address. */
    resolved: async (): Promise<Endpoint> => {
      await resolution.run();
      const first = choose();
      if (first === undefined) throw unavailable(new Error("the host name does not resolve"));
      return first;
    },
    /** True if there is another endpoint for a call. */
    areSeveral: () => known.size > 1,
    candidates: roster.candidates,
    /** The endpoint refused or broke a connection. */
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
 * Power of two choices: draws two endpoints at random and returns the one with fewer pending calls.
 * This is close to the best of all, and spreads the choices of several clients (M. Mitzenmacher,
 * 2001). `random` returns a number from 0 to under 1.
 */
export function chosen<E extends Loaded>(endpoints: readonly E[], random: () => number): E {
  const first = Math.floor(random() * endpoints.length);
  const others = endpoints.length - 1;
  const second = (first + 1 + Math.floor(random() * others)) % endpoints.length;
  const [one, other] = [endpoints[first], endpoints[second]];
  if (one === undefined || other === undefined) throw new Error("there is no endpoint to choose");
  return other.calls.size < one.calls.size ? other : one;
}

/** Resolves the host names of URLs repeatedly, from the first request on. */
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
    // A name that does not resolve keeps its last known addresses.
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
    /** Resolves all names now; concurrent calls share the look-ups. */
    run,
    stop: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
