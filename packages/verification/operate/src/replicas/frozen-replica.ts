import { setTimeout as pause } from "node:timers/promises";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { startLoad } from "./load.ts";
import { must, type Part } from "./part.ts";

const perSecond = 50;
const frozenMs = 15_000;
/** Load runs for this time before and after the freeze, so that both replicas receive calls. */
const aroundMs = 3_000;
/** Maximum share of failed requests. */
const failedMax = 0.01;
/** Services behind the gateway that a payout calls synchronously. */
const frozen: readonly ServiceName[] = ["payout", "quote", "beneficiary"];

/** Suspends one process of a service for a while. Nearly all requests must succeed. */
export const frozenReplica: Part = {
  name: "frozen-replica",
  run: async (platform) => {
    const figures: string[] = [];
    for (const service of frozen) {
      const [, second] = platform.replicas;
      const pid = second?.pid(service) ?? 0;
      const load = startLoad(platform.payer, perSecond);
      await pause(aroundMs);
      process.kill(pid, "SIGSTOP");
      await pause(frozenMs).finally(() => process.kill(pid, "SIGCONT"));
      await pause(aroundMs);
      const { requests, failures } = await load.stop();
      const figure = `${service} ${failures.length} of ${requests} failed`;
      must(failures.length < requests * failedMax, `${figure}: ${failures[0]}`);
      figures.push(figure);
    }
    await platform.settle();
    return figures.join(", ");
  },
};
