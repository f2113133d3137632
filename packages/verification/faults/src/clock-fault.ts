import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { serviceNames } from "@disburse/sandbox/environments.ts";
import type { Fault } from "./stage.ts";
import { clockRestMs } from "./verdict.ts";

const preload = pathToFileURL(join(import.meta.dirname, "clock-preload.ts")).href;
const hourMs = 3_600_000;
const shiftsMs = [-24 * hourMs, -hourMs, hourMs, 24 * hourMs];
/** How long a service lives in another time. */
const shiftedMs = 4_000;

/** One service whose clock is an hour or a day off, and then right again. */
export const clockFault: Fault = {
  name: "clocks",
  about: "one service an hour or a day ahead or behind, then right again",
  restMs: clockRestMs,
  run: async (stage) => {
    const { load, options, random, platform } = stage;
    load.go();
    for (let at = 0; at < options.seeds; at += 1) {
      const service = random.pick(serviceNames);
      const shiftMs = random.pick(shiftsMs);
      const environment = { FAULT_CLOCK_MS: String(shiftMs) };
      await platform.kill(service);
      await platform.start(service, { preload, environment });
      await pause(shiftedMs);
      stage.fired(`${service} ${shiftMs / hourMs} h`);
      await platform.kill(service);
      await platform.start(service);
    }
    await load.rest();
    return [];
  },
};
