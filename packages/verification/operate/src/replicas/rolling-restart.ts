import { setTimeout as pause } from "node:timers/promises";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { startLoad } from "./load.ts";
import { must, type Part } from "./part.ts";
import type { ReplicatedPlatform } from "./platform.ts";

/**
 * Requests per second. This is a tenth of the rate that two cores reach with one process per
 * service.
 */
const perSecond = 50;
/**
 * Delay between "not ready" and the stop of a gateway. Longer than the balancer takes to detect
 * that the gateway is not ready.
 */
export const shutdownDelaySeconds = 2;

/**
 * Time between the start of a process and the next stop, as in deploy/k8s. After this time, clients
 * have found the new process.
 */
const minReadyMs = 5_000;

/** Restarts every process, one after another. No request may fail. */
export const rollingRestart: Part = {
  name: "rolling-restart",
  settings: { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) },
  run: async (platform) => {
    const { requests } = await restartAll(platform, perSecond);
    await platform.settle();
    const restarts = serviceNames.length * platform.replicas.length;
    return `${restarts} restarts, ${requests} requests, 0 failed`;
  },
};

/** Ends and starts each process under load, one after another. Throws if a request failed. */
export async function restartAll(platform: ReplicatedPlatform, requestsPerSecond: number) {
  const load = startLoad(platform.payer, requestsPerSecond);
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
  const { requests, failures, payoutIds } = await load.stop();
  const during = [...new Set(unlucky)].join(", ");
  const failed = `${failures.length} of ${requests} failed (${during}): ${failures[0]}`;
  must(failures.length === 0, failed);
  return { requests, payoutIds };
}
