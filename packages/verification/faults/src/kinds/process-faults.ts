import { setTimeout as pause } from "node:timers/promises";
import { say } from "@disburse/harness/command-line.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { signalFamily } from "../backends/process-family.ts";
import { type Fault, type FaultContext, underLoad } from "../context.ts";
import { clockRestMs } from "../payouts/checks.ts";
import { inFlightNow, type Recovered, untilRecovered } from "../payouts/recovery.ts";

/** The platform's target: interrupted work finishes within this time after a restart. */
export const recoveredWithinMs = 10_000;
/** Lets the load recover before the next kill. Some requests are always in progress. */
const betweenMs = 400;
const sayEvery = 25;

export const killFault: Fault = {
  name: "kills",
  about: "kill -9 of each service at random",
  run: async (context) => {
    const { load, options, random } = context;
    load.start();
    const all: Recovered[] = [];
    for (let at = 1; at <= options.kills; at += 1) {
      await pause(random.below(betweenMs));
      const service = random.pick(serviceNames);
      all.push(await killOnce(context, service));
      if (at % sayEvery === 0) {
        const { length } = load.accepted;
        say(`${at} of ${options.kills} kills, ${length} payouts accepted`);
      }
    }
    await load.drain();
    const slow = all.filter((took) => Math.max(...Object.values(took)) > recoveredWithinMs).length;
    const problem = `after ${slow} of ${all.length} restarts something took longer`;
    return [{ name: "recovered within 10 s", problems: slow === 0 ? [] : [problem] }];
  },
};

/** Kills and restarts one service under load. Returns the recovery times. */
export async function killOnce(context: FaultContext, service: ServiceName): Promise<Recovered> {
  const { platform, load } = context;
  const inFlight = inFlightNow(load);
  await platform.kill(service);
  context.fired(`kill ${service}`);
  await platform.start(service);
  const took = await untilRecovered(platform, load, inFlight);
  context.recovered(`kill ${service}`, took);
  return took;
}

const warmUpMs = 500;
/**
 * The deadline of a call is 5 s. A hang of up to 8 s exceeds the deadline in some cases and not in
 * others.
 */
const hangMaxMs = 8_000;
/**
 * Maximum outage of the broker. Only the outbox relay depends on the broker, and this leaves time
 * for its retries.
 */
const awayMaxMs = 6_000;

export const engineFault: Fault = {
  name: "engine",
  about: "kill -9 of the database engine, started again on its folder",
  run: killBackend("engine", 0),
};

export const brokerFault: Fault = {
  name: "broker",
  about: "kill -9 of RabbitMQ, away for up to 6 s, started again on its folder",
  run: killBackend("broker", awayMaxMs),
};

function killBackend(name: "engine" | "broker", awayMs: number): Fault["run"] {
  return underLoad(async ({ backends, load, platform, random, fired, recovered }) => {
    await pause(warmUpMs + random.below(warmUpMs));
    const inFlight = inFlightNow(load);
    await backends[name].kill();
    fired(`kill ${name}`);
    if (awayMs > 0) await pause(random.below(awayMs));
    await backends[name].start();
    recovered(`kill ${name}`, await untilRecovered(platform, load, inFlight));
  });
}

export const hangFault: Fault = {
  name: "hangs",
  about: "SIGSTOP of services, engine and broker for up to 8 s, then SIGCONT",
  run: underLoad(async (context) => {
    const { random, backends, platform } = context;
    const victim = random.pick([...serviceNames, "engine", "broker"] as const);
    await pause(warmUpMs);
    const isBackend = victim === "engine" || victim === "broker";
    const pid = isBackend ? backends[victim].pid() : platform.pid(victim);
    signalFamily(pid, "SIGSTOP");
    await pause(random.below(hangMaxMs));
    signalFamily(pid, "SIGCONT");
    context.fired(`hang ${victim}`);
  }),
};

export const networkFault: Fault = {
  name: "network",
  about: "a proxy before engine and broker that delays, drips, goes silent, cuts",
  run: underLoad(async (context) => {
    const { random, backends } = context;
    const name = random.pick(["engine", "broker"] as const);
    const condition = random.pick(["delay", "trickle", "silent", "disconnected"] as const);
    const { proxy } = backends[name];
    await pause(warmUpMs);
    proxy.set(condition);
    await pause(warmUpMs + random.below(hangMaxMs / 2));
    proxy.set("normal");
    context.fired(`${condition} ${name}`);
    const cut = proxy.disconnectAll();
    if (cut > 0) context.fired(`connection cut ${name}`, cut);
  }),
};

const preload = new URL("./clock-preload.ts", import.meta.url).href;
const hourMs = 3_600_000;
const shiftsMs = [-24 * hourMs, -hourMs, hourMs, 24 * hourMs];
const shiftedMs = 4_000;

export const clockFault: Fault = {
  name: "clocks",
  about: "one service an hour or a day ahead or behind, then right again",
  restMs: clockRestMs,
  run: underLoad(async (context) => {
    const { random, platform } = context;
    const service = random.pick(serviceNames);
    const shiftMs = random.pick(shiftsMs);
    const environment = { FAULT_CLOCK_MS: String(shiftMs) };
    await platform.kill(service);
    await platform.start(service, { preload, environment });
    await pause(shiftedMs);
    context.fired(`${service} ${shiftMs / hourMs} h`);
    await platform.kill(service);
    await platform.start(service);
  }),
};
