import type { Backends } from "../backends.ts";
import { type Spent, spentBetween, takeReading } from "../counters.ts";
import { type Arrivals, startArrivals } from "./arrivals.ts";
import { type Child, startChild } from "./child.ts";
import { deadStatus, type Hook, planHooks } from "./hook.ts";
import type { Lateness, LoadCalls } from "./load-calls.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import type { WebhookBenchOptions } from "./options.ts";
import { namespace, type Platform, type Registered, register, startPlatform } from "./platform.ts";
import { type Tally, tallyOf } from "./tally.ts";

/** All that the scenarios are played on. */
export type Stage = {
  readonly backends: Backends;
  readonly platform: Platform;
  readonly load: Child<LoadCalls>;
  readonly arrivals: Arrivals;
  /** The endpoints whose receivers answer. */
  readonly registered: readonly Registered[];
  readonly hooks: readonly Hook[];
  readonly options: WebhookBenchOptions;
  readonly say: (line: string) => void;
  stop(): Promise<void>;
};

/** What is on its way when all is published has come by then, a lost lease's end included. */
const settleMs = 45_000;
/** Enough to have the first event in hand when its moment comes. */
const leadMs = 200;
/** Of each endpoint; 100 of them have 200 together. */
const perSecondEach = 2;
/** 100,000 events, beside whatever else the machine does. */
const fillTimeoutMs = 600_000;
/** Counting many costs the engine something as well. */
const askEveryMs = 500;

export async function startStage(
  backends: Backends,
  options: WebhookBenchOptions,
  say: (line: string) => void,
): Promise<Stage> {
  const ends: (() => Promise<void>)[] = [];
  let log = (): string => "";
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const platform = await startPlatform(backends, options.profile);
    ends.push(platform.stop);
    log = platform.log;
    const hooks = planHooks();
    const arrivals = await startArrivals(hooks.length);
    ends.push(arrivals.stop);
    const load = startChild<LoadCalls>("load-process.ts");
    ends.push(load.stop);
    await load.call("connect", { url: backends.amqpUrl, namespace });
    const registered: Registered[] = [];
    for (const hook of hooks) {
      const endpointId = await register(platform, hook, arrivals.urls[hook.at] ?? "");
      registered.push({ hook, endpointId });
    }
    return { backends, platform, load, arrivals, registered, hooks, options, say, stop };
  } catch (error) {
    say(log());
    await stop();
    throw error;
  }
}

/** What an open loop came to. */
export type SteadyRun = Tally & Lateness & { readonly seconds: number };

/** Starts an open loop at two events a second for each endpoint. */
export function startSteady(
  { load, arrivals }: Stage,
  run: string,
  hooks: readonly Hook[],
  seconds: number,
): { readonly startsAtMs: number; readonly ended: Promise<SteadyRun> } {
  const perSecond = perSecondEach * hooks.length;
  const count = Math.round(seconds * perSecond);
  const startsAtMs = monotonicMs() + leadMs;
  const numbers = Array.from({ length: count }, (_, number) => number);
  const expected = numbers.filter((number) => hooks[number % hooks.length]?.status !== deadStatus);
  const play = async () => {
    const late = await load.call("steady", { run, hooks, startsAtMs, perSecond, count });
    await arrivals.untilCame(run, expected.length, settleMs);
    const plan = { startsAtMs, everyMs: 1_000 / perSecond, expected };
    return { ...tallyOf(plan, await arrivals.receipts(run)), ...late, seconds };
  };
  return { startsAtMs, ended: play() };
}

/** Publishes so many events as fast as they are taken, and waits until all are stored. */
export async function fill(
  { load, platform }: Stage,
  run: string,
  targets: readonly Registered[],
  count: number,
): Promise<void> {
  const ids = targets.map(({ endpointId }) => endpointId);
  const before = await pendingOf(platform, ids);
  const hooks = targets.map(({ hook }) => hook);
  const endsAtMs = monotonicMs() + fillTimeoutMs;
  await load.call("flood", { run, hooks, count, endsAtMs, ahead: count });
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
  const endsAtMs = monotonicMs() + timeoutMs;
  for (;;) {
    const pending = await pendingOf(platform, endpointIds);
    if (pending >= wanted || monotonicMs() > endsAtMs) return pending;
    await untilMs(monotonicMs() + askEveryMs);
  }
}

/** How many deliveries of endpoints wait in the notifier's store. */
export function pendingOf({ db }: Platform, endpointIds: readonly string[]): Promise<number> {
  return db
    .collection("deliveries")
    .countDocuments({ state: "pending", endpoint_id: { $in: [...endpointIds] } });
}

/** What every process used, and what the engine ran, while something was done. */
export async function spentOn<T>(
  { backends, platform, load, arrivals }: Stage,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly spent: Spent }> {
  const notifier = platform.pid();
  const pids = { notifier, ...backends.pids, load: load.pid, receivers: arrivals.pid };
  const before = await takeReading(backends.mongo, pids);
  const done = await work();
  return { done, spent: spentBetween(before, await takeReading(backends.mongo, pids)) };
}
