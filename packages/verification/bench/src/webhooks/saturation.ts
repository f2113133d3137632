import { rounded } from "../percentile.ts";
import { startChild } from "./child.ts";
import { figuresOf } from "./figures.ts";
import type { FloorCalls } from "./floor-calls.ts";
import { saturated } from "./hook.ts";
import { monotonicMs } from "./monotonic-clock.ts";
import { type Stage, spentOn } from "./stage.ts";
import type { Measured } from "./steady.ts";
import { rateBetween } from "./tally.ts";

/** Events that are published and have not arrived; more would measure how they pile up. */
const ahead = 3_000;
/** Until limits have grown and everything is under way. */
const rampMs = 3_000;
/** All that is ahead has arrived within this. */
const drainTimeoutMs = 60_000;
/** What a notifier has under way at most, and four merchants together. */
const concurrency = 256;

/** B: four merchants' endpoints have more to be told than can be; beside it, the bare loop. */
export async function measureSaturation(stage: Stage): Promise<Measured> {
  const { done: run, spent } = await spentOn(stage, () => saturate(stage));
  const floor = await measureFloor(stage);
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
  return { figures, cost: { deliveries: published, spent }, astray: receipts.astray, note };
}

async function saturate({ load, arrivals, hooks, options }: Stage) {
  const run = "b";
  const startedAtMs = monotonicMs();
  const endsAtMs = startedAtMs + options.sizes.saturatedSeconds * 1_000;
  const tell = () => void load.call("received", arrivals.count(run));
  const silence = arrivals.onNews(tell);
  const count = Number.MAX_SAFE_INTEGER;
  const job = { run, hooks: saturated(hooks), count, endsAtMs, ahead };
  const published = await load.call("flood", job);
  silence();
  await arrivals.untilCame(run, published, drainTimeoutMs);
  const receipts = await arrivals.receipts(run);
  const perSecond = rateBetween(receipts, startedAtMs + rampMs, endsAtMs);
  const seconds = Array.from({ length: options.sizes.saturatedSeconds }, (_, at) => {
    const fromMs = startedAtMs + at * 1_000;
    return Math.round(rateBetween(receipts, fromMs, fromMs + 1_000));
  });
  return { published, receipts, perSecond, seconds };
}

/** The same bodies, signed the same way, to the same receivers: posts a second of one process. */
async function measureFloor({ arrivals, hooks, options }: Stage) {
  const floor = startChild<FloorCalls>("floor-process.ts");
  try {
    const targets = saturated(hooks).map((hook) => ({ hook, url: arrivals.urls[hook.at] ?? "" }));
    const seconds = options.sizes.floorSeconds;
    return await floor.call("post", { run: "floor", targets, concurrency, seconds });
  } finally {
    await floor.stop();
  }
}
