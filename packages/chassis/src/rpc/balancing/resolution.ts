import { reportRejection } from "../../rejections.ts";
import { type Address, addressesOf, type ResolveHost, resolveHost } from "./addresses.ts";

/** A new replica gets calls after about this; a name server of a cluster caches as long. */
const resolveEveryMs = 5_000;
/** Clients that started together do not ask together. */
const jitterShare = 0.2;

/** How host names are resolved, and how often. */
export type ResolutionOptions = {
  readonly resolve?: ResolveHost;
  readonly resolveEveryMs?: number;
};

/** Resolves the host names of URLs again and again, from the first time that it is asked. */
export function createResolution(
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
    /** Resolves all names now; calls at the same time share the look-ups. */
    run,
    stop: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
