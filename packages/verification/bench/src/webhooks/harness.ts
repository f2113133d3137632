import { say } from "@disburse/harness/command-line.ts";
import { until } from "@disburse/harness/waiting.ts";
import { startChild } from "../load/child.ts";
import { readUsage, type Usage, usageBetween } from "../measures/counters.ts";
import type { Backends } from "../platforms/backends.ts";
import { deadStatus, type Endpoint, planEndpoints } from "./endpoints.ts";
import { monotonicMs } from "./monotonic-clock.ts";
import type { WebhookBenchOptions } from "./options.ts";
import { namespace, type Platform, type Registered, register, startPlatform } from "./platform.ts";
import type { Lateness, PublisherCalls } from "./publisher-process.ts";
import type { ReceiverCalls } from "./receiver-process.ts";
import { outcomeOf, type RunOutcome } from "./tally.ts";

/** What the scenarios run on. */
export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** What is on its way when all is published has come by then, a lost lease's end included. */
const settleMs = 45_000;
/** Enough to have the first event in hand when its moment comes. */
const leadMs = 200;
/** Of each endpoint; 100 of them have 200 together. */
const perSecondEach = 2;
/** 100,000 events, beside whatever else the machine does. */
const fillTimeoutMs = 600_000;
/** Counting many costs the engine something as well. */
const pollEveryMs = 500;

/** Starts notifier, publisher and receivers, and registers every endpoint. */
export async function startHarness(backends: Backends, options: WebhookBenchOptions) {
  await using ends = new AsyncDisposableStack();
  const platform = await startPlatform(backends, options.profile);
  ends.defer(platform.stop);
  // What it has written says why the rest did not start.
  ends.defer(() => say(platform.log()));
  const endpoints = planEndpoints();
  const receivers = await startReceivers(endpoints.length);
  ends.defer(receivers.stop);
  const load = startChild<PublisherCalls>("webhooks/publisher-process.ts");
  ends.defer(load.stop);
  await load.call("connect", { url: backends.amqpUrl, namespace, secrets: platform.secrets });
  const registered: Registered[] = [];
  for (const endpoint of endpoints) {
    registered.push(await register(platform, endpoint, receivers.urls[endpoint.at] ?? ""));
  }
  const stop = async () => {
    for (const part of [load, receivers, platform]) await part.stop();
  };
  ends.move();
  return { backends, platform, load, receivers, registered, endpoints, options, stop };
}

/** The result of an open loop. */
export type SteadyRun = RunOutcome & Lateness & { readonly seconds: number };

/** Starts an open loop at two events a second for each endpoint. */
export function startSteady(
  { load, receivers }: Harness,
  run: string,
  endpoints: readonly Endpoint[],
  seconds: number,
): { readonly startsAtMs: number; readonly ended: Promise<SteadyRun> } {
  const perSecond = perSecondEach * endpoints.length;
  const count = Math.round(seconds * perSecond);
  const startsAtMs = monotonicMs() + leadMs;
  const numbers = Array.from({ length: count }, (_, number) => number);
  const expected = numbers.filter(
    (number) => endpoints[number % endpoints.length]?.status !== deadStatus,
  );
  const play = async () => {
    const late = await load.call("steady", { run, endpoints, startsAtMs, perSecond, count });
    await receivers.untilArrived(run, expected.length, settleMs);
    const plan = { startsAtMs, everyMs: 1_000 / perSecond, expected };
    return { ...outcomeOf(plan, await receivers.receipts(run)), ...late, seconds };
  };
  return { startsAtMs, ended: play() };
}

/** Publishes so many events as fast as they are taken, and waits until all are stored. */
export async function fill(
  { load, platform }: Harness,
  run: string,
  targets: readonly Registered[],
  count: number,
): Promise<void> {
  const ids = targets.map(({ endpointId }) => endpointId);
  const before = await pendingOf(platform, ids);
  const endpoints = targets.map(({ endpoint }) => endpoint);
  const endsAtMs = monotonicMs() + fillTimeoutMs;
  await load.call("flood", { run, endpoints, count, endsAtMs, ahead: count });
  const stored = (await untilPending(platform, ids, before + count, fillTimeoutMs)) - before;
  if (stored < count) throw new Error(`${stored} of ${count} events were stored in time`);
}

/** Waits until so many deliveries of endpoints wait in the store; answers how many there are. */
export async function untilPending(
  platform: Platform,
  endpointIds: readonly string[],
  wanted: number,
  timeoutMs: number,
): Promise<number> {
  let pending = 0;
  const isPending = async () => {
    pending = await pendingOf(platform, endpointIds);
    return pending >= wanted;
  };
  await until(isPending, { timeoutMs, everyMs: pollEveryMs });
  return pending;
}

/** How many deliveries of endpoints wait in the notifier's store. */
export function pendingOf({ db }: Platform, endpointIds: readonly string[]): Promise<number> {
  return db
    .collection("deliveries")
    .countDocuments({ state: "pending", endpoint_id: { $in: [...endpointIds] } });
}

/** What every process used, and what the engine ran, while something was done. */
export async function measureUsage<T>(
  { backends, platform, load, receivers }: Harness,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly usage: Usage }> {
  const notifier = platform.pid();
  const pids = { notifier, ...backends.pids, load: load.pid, receivers: receivers.pid };
  const before = await readUsage(backends.mongo, pids);
  const done = await work();
  return { done, usage: usageBetween(before, await readUsage(backends.mongo, pids)) };
}

/** How often the receivers are polled for what has arrived. */
const everyMs = 50;

/** Starts so many receivers that answer, and one that never does. */
export async function startReceivers(receivers: number) {
  const child = startChild<ReceiverCalls>("webhooks/receiver-process.ts");
  return {
    pid: child.pid,
    ...(await child.call("listen", receivers)),
    /** Waits until so many different events of a run have come, or until it is too late. */
    untilArrived: (run: string, wanted: number, timeoutMs: number) =>
      until(async () => (await child.call("count", run)) >= wanted, { timeoutMs, everyMs }),
    /** Calls this with how many events of a run have come, again and again until `work` ends. */
    whileCounting: async <T>(run: string, work: Promise<T>, onCount: (count: number) => void) => {
      let isEnded = false;
      const ended = work.finally(() => {
        isEnded = true;
      });
      const watch = async () => {
        onCount(await child.call("count", run));
        return isEnded;
      };
      const [done] = await Promise.all([ended, until(watch, { timeoutMs: Infinity, everyMs })]);
      return done;
    },
    receipts: (run: string) => child.call("receipts", run),
    stop: child.stop,
  };
}
