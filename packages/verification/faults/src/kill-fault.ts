import { setTimeout as pause } from "node:timers/promises";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";
import { inFlightNow, type Recovered, untilRecovered } from "./recovery.ts";
import type { Fault, Stage } from "./stage.ts";
import type { Assertion } from "./verdict.ts";

/** Everything that was under way is done this long after a restart (the design's figure). */
export const recoveredWithinMs = 10_000;
/** Load comes up again before the next kill; some of it is always in the middle of something. */
const betweenMs = 400;
const sayEvery = 25;

/** kill -9 of one service after the other, at random, under load. */
export const killFault: Fault = {
  name: "kills",
  about: "kill -9 of each service at random",
  run: async (stage) => {
    const { load, options, random } = stage;
    load.go();
    const all: Recovered[] = [];
    for (let at = 1; at <= options.kills; at += 1) {
      await pause(random.below(betweenMs));
      const service = random.pick(serviceNames);
      all.push(await killOnce(stage, service));
      if (at % sayEvery === 0) {
        const { length } = load.accepted;
        stage.say(`${at} of ${options.kills} kills, ${length} payouts accepted`);
      }
    }
    await load.rest();
    const slow = all.filter(({ callsMs, payoutsMs, webhooksMs }) => {
      return Math.max(callsMs, payoutsMs, webhooksMs) > recoveredWithinMs;
    });
    return [recoveryAssertion(all.length, slow.length)];
  },
};

/** Whether what was under way was done in time after each restart. */
function recoveryAssertion(count: number, slow: number): Assertion {
  const problem = `after ${slow} of ${count} restarts something took longer`;
  return { name: "recovered within 10 s", problems: slow === 0 ? [] : [problem] };
}

/** Kills and starts one service under load; answers how long what was under way took after that. */
export async function killOnce(stage: Stage, service: ServiceName): Promise<Recovered> {
  const { platform, load } = stage;
  const inFlight = inFlightNow(load);
  await platform.kill(service);
  stage.fired(`kill ${service}`);
  await platform.start(service);
  const took = await untilRecovered(platform, load, inFlight);
  stage.recovered(`kill ${service}`, took);
  return took;
}
