import { setTimeout as pause } from "node:timers/promises";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { startLoad } from "./load.ts";
import { must, type Part } from "./part.ts";

/** Requests a second: a tenth of what two cores do with one process of each service. */
const perSecond = 50;
/** Longer than the balancer takes to see that a gateway is not ready. */
const shutdownDelaySeconds = 2;

/** From a start to the next end, as deploy/k8s has it: clients have found the process by then. */
const minReadyMs = 5_000;

/** Every process ends and starts again, one after the other, and no request fails. */
export const rollingRestart: Part = {
  name: "rolling-restart",
  settings: { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) },
  run: async (platform) => {
    const load = startLoad(platform.payer, perSecond);
    const unlucky: string[] = [];
    for (const service of serviceNames) {
      for (const replica of platform.replicas) {
        const before = load.failed();
        await replica.end(service);
        await replica.start(service);
        await pause(minReadyMs);
        if (load.failed() > before) unlucky.push(service);
      }
    }
    const { requests, failures } = await load.stop();
    const during = [...new Set(unlucky)].join(", ");
    const failed = `${failures.length} of ${requests} failed (${during}): ${failures[0]}`;
    must(failures.length === 0, failed);
    await platform.settle();
    const restarts = serviceNames.length * platform.replicas.length;
    return `${restarts} restarts, ${requests} requests, 0 failed`;
  },
};
