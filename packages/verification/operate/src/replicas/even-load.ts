import { setTimeout as pause } from "node:timers/promises";
import type { Replica } from "@disburse/platform/services.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { startLoad } from "./load.ts";
import { must, type Part } from "./part.ts";

const perSecond = 80;
const loadMs = 15_000;
const shareMax = 0.6;
const services: readonly ServiceName[] = ["beneficiary", "quote", "payout"];

/** Counts a process's served calls of its own RPCs. */
async function callsOf(replica: Replica, service: ServiceName): Promise<number> {
  const text = await (await fetch(`${replica.adminUrl(service)}/metrics`)).text();
  const counts = text.matchAll(/^disburse_rpc_duration_seconds_count\{(.*)\} (\d+)$/gm);
  const own = [...counts].filter(([, labels]) => !labels?.includes('rpc="Check"'));
  return own.reduce((sum, [, , count]) => sum + Number(count), 0);
}

export const evenLoad: Part = {
  name: "even-load",
  run: async (platform) => {
    const [, second] = platform.replicas;
    for (const service of services) {
      await second?.end(service);
      await second?.start(service);
    }
    const counted = () =>
      Promise.all(
        services.map((service) =>
          Promise.all(platform.replicas.map((replica) => callsOf(replica, service))),
        ),
      );
    // After this pause, the clients have found the new processes.
    await pause(6_000);
    const before = await counted();
    const load = startLoad(platform.payer, perSecond);
    await pause(loadMs);
    const { requests, failures } = await load.stop();
    must(failures.length === 0, `${failures.length} of ${requests} failed: ${failures[0]}`);
    const after = await counted();
    const figures = services.map((service, at) => {
      const calls = platform.replicas.map(
        (_replica, of) => (after[at]?.[of] ?? 0) - (before[at]?.[of] ?? 0),
      );
      const all = calls.reduce((sum, each) => sum + each, 0);
      must(Math.max(...calls) <= all * shareMax, `${service}: ${calls.join(" to ")}`);
      return `${service} ${calls.join(" to ")}`;
    });
    await platform.settle();
    return figures.join(", ");
  },
};
