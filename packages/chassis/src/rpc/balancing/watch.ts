import { reportRejection } from "../../rejections.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Roster } from "./roster.ts";

/** An endpoint with calls that answers nothing for so long is asked whether it is alive. */
const silentMs = 500;
/** How often silence is looked for; it adds to the time in which a hung process is found out. */
const lookEveryMs = 100;
/** An endpoint that ends connections or is unavailable is not asked more often than this. */
const doubtEveryMs = 1_000;

/** Asks endpoints that hang, leave or were ejected how they are, while there are several. */
export function createWatch(roster: Roster) {
  const asked = new Set<Endpoint>();
  const doubtedMs = new WeakMap<Endpoint, number>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs one probe of an endpoint at a time. */
  const ask = (endpoint: Endpoint, probe: (endpoint: Endpoint) => Promise<void>): void => {
    if (asked.has(endpoint)) return;
    asked.add(endpoint);
    const ended = () => asked.delete(endpoint);
    probe(endpoint).finally(ended).catch(reportRejection);
  };
  const askHealth = async (endpoint: Endpoint) => {
    if (!(await endpoint.isServing())) return roster.eject(endpoint, "not serving");
    endpoint.heardMs = performance.now();
    roster.readmit(endpoint);
  };
  const askLife = async (endpoint: Endpoint) => {
    const askedMs = performance.now();
    if ((await endpoint.isAlive()) || endpoint.heardMs > askedMs) {
      // Its calls take long, that is all.
      endpoint.heardMs = performance.now();
      return;
    }
    roster.eject(endpoint, "hung");
    endpoint.pools.renew();
    for (const call of [...endpoint.calls]) call.onHung();
  };
  const look = () => {
    const now = performance.now();
    for (const endpoint of roster.all()) {
      const isSilent = endpoint.calls.size > 0 && now - endpoint.heardMs >= silentMs;
      if (isSilent) ask(endpoint, askLife);
      else if (roster.isDue(endpoint, now)) ask(endpoint, askHealth);
    }
  };
  return {
    /** Begins or ends as there are several endpoints or not. */
    adjust: () => {
      clearInterval(timer);
      if (roster.all().length > 1) timer = setInterval(look, lookEveryMs).unref();
    },
    /** The endpoint ends connections or is unavailable: perhaps it is about to stop. */
    doubt: (endpoint: Endpoint) => {
      const now = performance.now();
      if (roster.all().length < 2) return;
      if (now - (doubtedMs.get(endpoint) ?? Number.NEGATIVE_INFINITY) < doubtEveryMs) return;
      doubtedMs.set(endpoint, now);
      ask(endpoint, askHealth);
    },
  };
}
