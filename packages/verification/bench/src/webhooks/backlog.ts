import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { say } from "@disburse/harness/command-line.ts";
import { until } from "@disburse/harness/waiting.ts";
import { newId } from "@disburse/kernel/id.ts";
import { runLoop, type Sample } from "../load/loops.ts";
import { startReceiver } from "../load/receiver.ts";
import { percentilesOf } from "../load/run.ts";
import { cpuPerRequest } from "../measures/cost.ts";
import { lessUsage, readUsage } from "../measures/counters.ts";
import { rounded } from "../measures/percentile.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { eventType, readRefundId, refundMessage } from "./events.ts";

/** Each endpoint has its own merchant and port. */
const endpointsInAll = 100;
const answerAfterMs = 30;
/** New events per second, for all endpoints together. */
const perSecond = 200;
/** Expected deliveries per second while draining. New events arrive during that time. */
const drainedPerSecond = 700;
const warmUpSeconds = 3;
/**
 * A webhook that arrives later counts as lost. A delivery with an expired lease is retried earlier.
 */
const lostAfterMs = 45_000;
/** Timeout for storing the backlog, and for delivering it. */
const backlogTimeoutMs = 600_000;
const batch = 50;

/**
 * Pauses 100 endpoints while a backlog is stored for them. Then resumes all of them and publishes
 * new events at the same time. Returns lost and misrouted webhooks as faults.
 */
export async function measureBacklog(platform: BenchPlatform, amqpUrl: string, backlog: number) {
  await using ends = new AsyncDisposableStack();
  const { mongo, pids } = platform;
  const arrivals = createArrivals(endpointsInAll);
  const endpoints = await openEndpoints(platform, arrivals, ends);
  const bus = await connectPublisher(platform, amqpUrl);
  ends.defer(bus.stop);
  const event = (run: string, number: number) =>
    refundMessage({ run, number }, endpoints[number % endpointsInAll]?.merchantId ?? "");
  /** Measures latency from an event's scheduled publication. */
  const steady = async (run: string, seconds: number) => {
    let next = 0;
    const startedAtMs = performance.now();
    const pace = { perSecond, seconds, inFlightMax: Number.POSITIVE_INFINITY };
    const { samples: published } = await runLoop(pace, async () => {
      await bus.publish([event(run, next++)]);
      return true;
    });
    await arrivals.untilAll(run, published.length, lostAfterMs);
    const samples = [...arrivals.of(run)].map(([number, arrivedAtMs]): Sample => {
      const atMs = startedAtMs + (number * 1_000) / perSecond;
      return { atMs, latencyMs: arrivedAtMs - atMs };
    });
    return { samples, lost: published.length - samples.length };
  };

  say("warming up the notifier");
  const warm = await steady("warm", warmUpSeconds);
  if (warm.lost > 0) throw new Error(`the notifier lost ${warm.lost} webhooks during the warm-up`);
  const seconds = Math.ceil(backlog / drainedPerSecond);
  const alone = await steady("alone", seconds);
  say(`storing a backlog of ${backlog}`);
  await Promise.all(endpoints.map((each) => each.pause()));
  for (let from = 0; from < backlog; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, backlog - from) }, (_, at) => from + at);
    await bus.publish(numbers.map((number) => event("backlog", number)));
  }
  const deliveries = platform.db("notifier").collection("deliveries");
  const isStored = async () => (await deliveries.countDocuments({ state: "pending" })) >= backlog;
  await until(isStored, { timeoutMs: backlogTimeoutMs, everyMs: 500 });
  say("draining it");
  const before = await readUsage(mongo, pids);
  const resumedAtMs = performance.now();
  await Promise.all(endpoints.map((each) => each.resume()));
  const fresh = steady("fresh", seconds);
  await arrivals.untilAll("backlog", backlog, backlogTimeoutMs);
  const usage = lessUsage(await readUsage(mongo, pids), before);
  const drained = arrivals.of("backlog");
  const drainedAtMs = Math.max(...drained.values());
  const delivered = drained.size + arrivals.of("fresh").size;
  const beside = await fresh;
  const timesOf = (samples: readonly Sample[]) =>
    percentilesOf(samples.map(({ latencyMs }) => latencyMs));
  const times = {
    /** Latency of new events, from publication to webhook, without and with the backlog. */
    alone: timesOf(alone.samples),
    beside: timesOf(beside.samples.filter(({ atMs }) => atMs <= drainedAtMs)),
  };
  const lost = backlog - drained.size + alone.lost + beside.lost;
  const { duplicates, misrouted } = arrivals.faults;
  const webhooks = {
    backlog,
    drained_per_s: rounded((backlog * 1_000) / (drainedAtMs - resumedAtMs), 1),
    ...times,
    p99_ratio: rounded(times.beside.p99_ms / times.alone.p99_ms, 2),
    lost,
    duplicates,
    misrouted,
    /** CPU time per delivery while the backlog drains. */
    cpu_us: cpuPerRequest(usage, delivered),
    mongo_ops_total: rounded(usage.engine.commands / delivered, 3),
  };
  const isRight = lost === 0 && misrouted === 0;
  return { webhooks, faults: isRight ? [] : [`webhooks: ${lost} lost, ${misrouted} misrouted`] };
}

async function connectPublisher({ name, trust }: BenchPlatform, url: string) {
  const own = { service: "sandbox", keys: trust.eventKeys("sandbox") };
  const log = createLog("bench", "error");
  const bus = await connectAmqpBus({ url, namespace: `bench-${name}`, ...own, log });
  await until(bus.ready, { timeoutMs: lostAfterMs, everyMs: 50 });
  return bus;
}

async function openEndpoints(
  { clients: { notifier } }: BenchPlatform,
  arrivals: ReturnType<typeof createArrivals>,
  ends: AsyncDisposableStack,
) {
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const open = async (_: unknown, at: number) => {
    const onWebhook = (id: string, atMs: number) => arrivals.add(id, at, atMs);
    const { url, close } = await startReceiver(onWebhook, answerAfterMs);
    ends.defer(close);
    const merchantId = newId("merchant");
    const creating = { mutation: mutation(), merchantId, url, eventTypes: [eventType] };
    const { endpoint } = await notifier.createEndpoint(creating);
    const owned = () => ({ mutation: mutation(), merchantId, endpointId: endpoint?.id ?? "" });
    return {
      merchantId,
      pause: () => notifier.pauseEndpoint(owned()),
      resume: () => notifier.resumeEndpoint(owned()),
    };
  };
  return await Promise.all(Array.from({ length: endpointsInAll }, open));
}

/** Records arriving webhooks. Events belong to the endpoints in turn. */
export function createArrivals(endpoints: number) {
  const runs = new Map<string, Map<number, number>>();
  const faults = { duplicates: 0, misrouted: 0 };
  /** Maps a run's event numbers to the time of their first webhook. */
  const of = (run: string) => runs.getOrInsert(run, new Map<number, number>());
  return {
    of,
    faults,
    add: (transactionId: string, endpoint: number, atMs: number) => {
      const name = readRefundId(transactionId);
      if (name === undefined) return;
      const first = of(name.run);
      if (name.number % endpoints !== endpoint) faults.misrouted += 1;
      if (first.has(name.number)) faults.duplicates += 1;
      else first.set(name.number, atMs);
    },
    /** Waits for this many events of a run, or until the timeout. */
    untilAll: (run: string, count: number, timeoutMs: number) =>
      until(() => of(run).size >= count, { timeoutMs, everyMs: 50 }),
  };
}
