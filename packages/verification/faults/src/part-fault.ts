import { setTimeout as pause } from "node:timers/promises";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";
import type { Part } from "./ground.ts";
import { signalFamily } from "./processes.ts";
import { inFlightNow, untilRecovered } from "./recovery.ts";
import type { Fault, Stage } from "./stage.ts";

/** Load gets going before each fault. */
const warmUpMs = 500;
/** A hang of up to 8 s passes the deadline of a call (5 s) about every other time. */
const hangMaxMs = 8_000;
/** A broker that is away is felt by nobody but the relay; long enough for its retries. */
const awayMaxMs = 6_000;

/** The database engine killed, and started again on its data. */
export const engineFault: Fault = {
  name: "engine",
  about: "kill -9 of the database engine, started again on its folder",
  run: (stage) => killPart(stage, "engine", stage.ground.engine, 0),
};

/** The broker killed; it stays away for a while. */
export const brokerFault: Fault = {
  name: "broker",
  about: "kill -9 of RabbitMQ, away for up to 6 s, started again on its folder",
  run: (stage) => killPart(stage, "broker", stage.ground.broker, awayMaxMs),
};

async function killPart(stage: Stage, name: string, part: Part, awayMs: number) {
  const { load, platform, options, random } = stage;
  load.go();
  for (let at = 0; at < options.seeds; at += 1) {
    await pause(warmUpMs + random.below(warmUpMs));
    const inFlight = inFlightNow(load);
    await part.kill();
    stage.fired(`kill ${name}`);
    if (awayMs > 0) await pause(random.below(awayMs));
    await part.start();
    stage.recovered(`kill ${name}`, await untilRecovered(platform, load, inFlight));
  }
  await load.rest();
  return [];
}

/** Services, engine and broker that hang (SIGSTOP) and go on. */
export const hangFault: Fault = {
  name: "hangs",
  about: "SIGSTOP of services, engine and broker for up to 8 s, then SIGCONT",
  run: async (stage) => {
    const { load, options, random, ground } = stage;
    load.go();
    for (let at = 0; at < options.seeds; at += 1) {
      const victim = random.pick([...serviceNames, "engine", "broker"] as const);
      await pause(warmUpMs);
      const isPart = victim === "engine" || victim === "broker";
      const pid = isPart ? ground[victim].pid() : pidOf(stage, victim);
      signalFamily(pid, "SIGSTOP");
      await pause(random.below(hangMaxMs));
      signalFamily(pid, "SIGCONT");
      stage.fired(`hang ${victim}`);
    }
    await load.rest();
    return [];
  },
};

function pidOf({ platform }: Stage, service: ServiceName): number {
  return platform.pid(service);
}

/** The network between services and what they depend on: slow, dripping, silent, cut. */
export const networkFault: Fault = {
  name: "network",
  about: "a proxy before engine and broker that delays, drips, goes silent, cuts",
  run: async (stage) => {
    const { load, options, random, ground } = stage;
    load.go();
    for (let at = 0; at < options.seeds; at += 1) {
      const name = random.pick(["engine", "broker"] as const);
      const weather = random.pick(["delay", "drip", "dark", "cut"] as const);
      const { proxy } = ground[name];
      await pause(warmUpMs);
      proxy.set(weather);
      await pause(warmUpMs + random.below(hangMaxMs / 2));
      proxy.set("clear");
      stage.fired(`${weather} ${name}`);
      const cut = proxy.cutAll();
      if (cut > 0) stage.fired(`connection cut ${name}`, cut);
    }
    await load.rest();
    return [];
  },
};
