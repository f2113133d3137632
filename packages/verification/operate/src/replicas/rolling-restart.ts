import { setTimeout as pause } from "node:timers/promises";
import { say } from "@disburse/harness/command-line.ts";
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
    const { requests, failed } = await restartAll(platform, perSecond);
    await platform.settle();
    must(failed === "", failed);
    const restarts = serviceNames.length * platform.replicas.length;
    return `${restarts} restarts, ${requests} requests, 0 failed`;
  },
};

/** Time under load before the first restart, in which a machine that is too slow shows itself. */
const beforeMs = 10_000;

/**
 * Ends and starts each process under load, one after another. `failed` is empty if no request
 * failed. One that failed before the first restart shows that the machine has no room for the load.
 */
export async function restartAll(platform: ReplicatedPlatform, requestsPerSecond: number) {
  const load = startLoad(platform.payer, requestsPerSecond);
  await pause(beforeMs);
  const unlucky: string[] = load.failed() > 0 ? ["before any restart"] : [];
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
  if (failures.length === 0) return { requests, payoutIds, failed: "" };
  say(warningsOf(platform).join("\n"));
  // Ids of payouts differ in otherwise equal texts.
  const kinds = Map.groupBy(failures, (each) => each.replace(/po_\w+/, "ID"));
  const counts = [...kinds].map(([failure, all]) => `${all.length} times ${failure}`);
  const failed = `${failures.length} of ${requests} failed (${during}): ${counts.join("; ")}`;
  return { requests, payoutIds, failed };
}

/** Counts the warnings and errors that the services logged, by service and text. */
function warningsOf({ replicas }: ReplicatedPlatform): string[] {
  const lines = replicas.flatMap((replica) =>
    serviceNames.flatMap((service) => replica.log(service).split("\n")),
  );
  const texts = lines.flatMap((line) => {
    const [, level, , text] = /^\{"level":"(warn|error|fatal)"(.*)"msg":"([^"]*)"/.exec(line) ?? [];
    const [, service] = /"service":"([a-z]+)"/.exec(line) ?? [];
    const [, reason] = /"err":\{"type":"[^"]*","message":"([^"]*)"/.exec(line) ?? [];
    if (level === undefined) return [];
    return [`${service} ${level}: ${text}${reason === undefined ? "" : ` (${reason})`}`];
  });
  const counts = [...Map.groupBy(texts, (each) => each)];
  return counts.map(([text, all]) => `${all.length} times ${text}`);
}
