import { startChild } from "../load/child.ts";
import { rounded } from "../measures/percentile.ts";
import { saturated } from "./endpoints.ts";
import { type Cost, figuresOf, latencyOf, type ScenarioFigures } from "./figures.ts";
import { type Harness, measureUsage, type SteadyRun, startSteady } from "./harness.ts";
import { monotonicMs } from "./monotonic-clock.ts";
import type { PostCalls } from "./post-process.ts";
import { rateBetween } from "./tally.ts";

/** A scenario's figures, what a delivery of it cost, and what was wrong with the counts. */
export type Measured = {
  readonly figures: ScenarioFigures;
  readonly cost?: Cost;
  readonly misrouted: number;
  readonly note?: string;
};

/** A: 200 events a second to 100 endpoints. */
export async function measureSteady(harness: Harness): Promise<Measured> {
  const { endpoints, options } = harness;
  const { steadySeconds } = options.sizes;
  const work = () => startSteady(harness, "a", endpoints, steadySeconds).ended;
  const { done: run, usage } = await measureUsage(harness, work);
  const cost = { deliveries: run.samples.length, usage };
  return { figures: steadyFigures(run), cost, misrouted: run.misrouted, note: latenessOf(run) };
}

/** The figures of an open loop. */
export function steadyFigures(run: SteadyRun): ScenarioFigures {
  const { samples, lost, duplicates, seconds } = run;
  const per_s = rounded(samples.length / seconds, 1);
  return figuresOf({ ...latencyOf(samples), per_s, lost, duplicates });
}

/** How late the load was itself: part of every latency, for that counts from the due moment. */
export function latenessOf({ lateP99Ms, lateMaxMs }: SteadyRun): string {
  return `load late by ${lateP99Ms} ms (p99), ${lateMaxMs} ms (most)`;
}

/** Events that are published and have not arrived; more would measure how they pile up. */
const ahead = 3_000;
/** Until limits have grown and everything is under way. */
const rampMs = 3_000;
/** All that is ahead has arrived within this. */
const drainTimeoutMs = 60_000;
/** What a notifier has under way at most, and four merchants together. */
const concurrency = 256;

/** B: more events for four merchants' endpoints than can be sent; beside it, the bare loop. */
export async function measureSaturation(harness: Harness): Promise<Measured> {
  const { done: run, usage } = await measureUsage(harness, () => saturate(harness));
  const floor = await measureFloor(harness);
  const { perSecond, published, receipts, seconds } = run;
  const figures = figuresOf({
    per_s: rounded(perSecond, 1),
    floor_ratio: rounded(perSecond / floor.perSecond, 3),
    lost: published - receipts.firstAtMs.size,
    duplicates: receipts.duplicates,
  });
  const note =
    `the bare loop posts ${rounded(floor.perSecond, 1)}/s at ${floor.cpuUs} µs each; ` +
    `B second by second ${seconds.join(" ")}`;
  return { figures, cost: { deliveries: published, usage }, misrouted: receipts.misrouted, note };
}

async function saturate({ load, receivers, endpoints, options }: Harness) {
  const run = "b";
  const startedAtMs = monotonicMs();
  const endsAtMs = startedAtMs + options.sizes.saturatedSeconds * 1_000;
  const report = (count: number) => void load.call("received", count);
  const count = Number.MAX_SAFE_INTEGER;
  const job = { run, endpoints: saturated(endpoints), count, endsAtMs, ahead };
  const published = await receivers.whileCounting(run, load.call("flood", job), report);
  await receivers.untilArrived(run, published, drainTimeoutMs);
  const receipts = await receivers.receipts(run);
  const perSecond = rateBetween(receipts, startedAtMs + rampMs, endsAtMs);
  const seconds = Array.from({ length: options.sizes.saturatedSeconds }, (_, at) => {
    const fromMs = startedAtMs + at * 1_000;
    return Math.round(rateBetween(receipts, fromMs, fromMs + 1_000));
  });
  return { published, receipts, perSecond, seconds };
}

/** The same bodies, signed the same way, to the same receivers: posts a second of one process. */
async function measureFloor({ receivers, endpoints, options }: Harness) {
  const floor = startChild<PostCalls>("webhooks/post-process.ts");
  try {
    const targets = saturated(endpoints).map((endpoint) => ({
      endpoint,
      url: receivers.urls[endpoint.at] ?? "",
    }));
    const seconds = options.sizes.floorSeconds;
    return await floor.call("post", { run: "floor", targets, concurrency, seconds });
  } finally {
    await floor.stop();
  }
}
