import { say } from "@disburse/harness/command-line.ts";
import { until } from "@disburse/harness/waiting.ts";
import type { BacklogFigures } from "../figures.ts";
import { startChild } from "../load/child.ts";
import { monotonicMs } from "../load/monotonic-clock.ts";
import { startReceivers } from "../load/receiver.ts";
import type { Receipt } from "../load/receiver-process.ts";
import { commandTotal, readUsage, usageBetween } from "../measures/counters.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import { cpuPerRequest } from "../measures/scenario.ts";
import type { Backends } from "../platforms/backends.ts";
import { type Endpoint, endpointOf, planEndpoints } from "./endpoints.ts";
import { readSessionId } from "./events.ts";
import { namespace, register, startNotifier } from "./notifier.ts";
import type { PublisherCalls } from "./publisher-process.ts";

/** The webhooks that came, by run. */
type Arrivals = ReturnType<typeof createArrivals>;

const everyMs = 50;

/** The rate of new events, for 100 endpoints together. */
const perSecond = 200;
/** The expected rate of the drain: new events come for as long as it takes. */
const drainedPerSecond = 700;
/** New code runs slowly at first. */
const warmUpSeconds = 3;
/** Time for the first event to be ready when its moment comes. */
const leadMs = 200;
/** The time that a receiver needs to store an event. */
const answerAfterMs = 30;
/** A webhook that takes longer than this is lost; a lost lease ends earlier. */
const lostAfterMs = 45_000;
/** Storing the backlog, and delivering it, may take this long. */
const backlogTimeoutMs = 600_000;

/**
 * Pauses 100 endpoints while a backlog is stored for them, resumes them together, and publishes new
 * events meanwhile. Returns what was lost or misrouted as faults.
 */
export async function measureBacklog(
  backends: Backends,
  backlog: number,
): Promise<{ readonly webhooks: BacklogFigures; readonly faults: readonly string[] }> {
  await using ends = new AsyncDisposableStack();
  const { mongo } = backends;
  const notifier = await startNotifier(backends);
  ends.defer(notifier.stop);
  const endpoints = planEndpoints();
  const arrivals = createArrivals(endpoints);
  const receivers = { receivers: endpoints.length, answerAfterMs };
  const receiver = await startReceivers(receivers, arrivals.add);
  ends.defer(receiver.stop);
  const load = startChild<PublisherCalls>("webhooks/publisher-process.ts");
  ends.defer(load.stop);
  await load.call("connect", { url: backends.amqpUrl, namespace, secrets: notifier.secrets });
  const registered = await Promise.all(
    endpoints.map((each) => register(notifier, each, receiver.urls[each.at] ?? "")),
  );
  const seconds = Math.ceil(backlog / drainedPerSecond);
  const steady = (run: string, runSeconds: number) =>
    publishSteady({ call: load.call, endpoints, arrivals }, run, runSeconds);

  say("warming up the notifier");
  await steady("warm", warmUpSeconds);
  const alone = await steady("alone", seconds);
  say(`storing a backlog of ${backlog}`);
  await Promise.all(registered.map((each) => each.pause()));
  await load.call("flood", { run: "backlog", endpoints, count: backlog });
  const stored = async () =>
    (await notifier.db.collection("deliveries").countDocuments({ state: "pending" })) >= backlog;
  await until(stored, { timeoutMs: backlogTimeoutMs, everyMs: 500 });
  say("draining it");
  const { pid } = notifier;
  const pids = { notifier: pid, ...backends.pids, load: load.pid, receiver: receiver.pid };
  const before = await readUsage(mongo, pids);
  const resumedAtMs = monotonicMs();
  await Promise.all(registered.map((each) => each.resume()));
  const fresh = steady("fresh", seconds);
  await arrivals.untilAll("backlog", backlog, backlogTimeoutMs);
  const usage = usageBetween(before, await readUsage(mongo, pids));
  const delivered = arrivals.countOf("backlog") + arrivals.countOf("fresh");
  const drainedAtMs = arrivals.lastAtMs("backlog");
  const late = await fresh;
  const beside = late.samples.filter(({ dueAtMs }) => dueAtMs <= drainedAtMs);
  const lost = backlog - arrivals.countOf("backlog") + alone.lost + late.lost;
  const { duplicates, misrouted } = arrivals.faults();
  const [aloneTimes, besideTimes] = [timesOf(alone.samples), timesOf(beside)];
  const webhooks: BacklogFigures = {
    backlog,
    drained_per_s: rounded((backlog * 1_000) / (drainedAtMs - resumedAtMs), 1),
    alone: aloneTimes,
    beside: besideTimes,
    p99_ratio: rounded(besideTimes.p99_ms / aloneTimes.p99_ms, 2),
    lost,
    duplicates,
    misrouted,
    cpu_us: cpuPerRequest(usage, delivered),
    mongo_ops_total: rounded(commandTotal(usage.commands) / delivered, 3),
  };
  const faults = [
    ...(lost === 0 ? [] : [`${lost} webhooks were lost`]),
    ...(misrouted === 0 ? [] : [`${misrouted} webhooks went to another endpoint`]),
  ];
  return { webhooks, faults };
}

type Sample = { readonly dueAtMs: number; readonly latencyMs: number };

type Steady = {
  readonly call: ReturnType<typeof startChild<PublisherCalls>>["call"];
  readonly endpoints: readonly Endpoint[];
  readonly arrivals: Arrivals;
};

/** An open loop: latency counts from the moment at which an event should have been published. */
async function publishSteady({ call, endpoints, arrivals }: Steady, run: string, seconds: number) {
  const count = seconds * perSecond;
  const startsAtMs = monotonicMs() + leadMs;
  await call("steady", { run, endpoints, startsAtMs, perSecond, count });
  await arrivals.untilAll(run, count, lostAfterMs);
  const samples = arrivals.firstAtMs(run).map(([number, atMs]): Sample => {
    const dueAtMs = startsAtMs + (number * 1_000) / perSecond;
    return { dueAtMs, latencyMs: atMs - dueAtMs };
  });
  return { samples, lost: count - samples.length };
}

function timesOf(samples: readonly Sample[]) {
  const latencies = samples.map(({ latencyMs }) => latencyMs);
  return {
    p50_ms: rounded(percentile(latencies, 0.5), 2),
    p99_ms: rounded(percentile(latencies, 0.99), 2),
  };
}

/** Counts the webhooks that come to these endpoints. */
export function createArrivals(endpoints: readonly Endpoint[]) {
  const runs = new Map<string, Map<number, number>>();
  const faults = { duplicates: 0, misrouted: 0 };
  const firstOf = (run: string) => runs.getOrInsert(run, new Map<number, number>());
  const countOf = (run: string): number => firstOf(run).size;
  return {
    countOf,
    add: ({ transactionId, receiver, atMs }: Receipt) => {
      const name = readSessionId(transactionId);
      if (name === undefined) return;
      const first = firstOf(name.run);
      if (endpointOf(endpoints, name.number).at !== receiver) faults.misrouted += 1;
      if (first.has(name.number)) faults.duplicates += 1;
      else first.set(name.number, atMs);
    },
    /** The number of each event that came, and the time of its first webhook. */
    firstAtMs: (run: string) => [...firstOf(run)],
    lastAtMs: (run: string) => [...firstOf(run).values()].reduce((a, b) => Math.max(a, b), 0),
    faults: () => ({ ...faults }),
    /** Waits until so many events of a run have come, or until it is too late. */
    untilAll: (run: string, count: number, timeoutMs: number) =>
      until(() => countOf(run) >= count, { timeoutMs, everyMs }),
  };
}
