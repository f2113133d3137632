import { rounded } from "../percentile.ts";
import { figuresOf, latencyOf } from "./figures.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import { type Stage, startSteady } from "./stage.ts";
import { latenessOf, type Measured } from "./steady.ts";
import { backAfterMs } from "./tally.ts";

/** Latency is back where a second's p99 is within this many times the p99 before the kill. */
const backWithin = 1.5;

/** F: A, in the middle of which the notifier is killed and started again where it was. */
export async function measureCrash(stage: Stage): Promise<Measured> {
  const { platform, hooks, options } = stage;
  const { beforeKillSeconds, afterKillSeconds } = options.sizes;
  const seconds = beforeKillSeconds + afterKillSeconds;
  const { startsAtMs, ended } = startSteady(stage, "f", hooks, seconds);
  await untilMs(startsAtMs + beforeKillSeconds * 1_000);
  await platform.kill();
  const killedAtMs = monotonicMs();
  const inFlight = await platform.db
    .collection("deliveries")
    .countDocuments({ state: "pending", lease: { $ne: null } });
  await platform.start();
  const startedAfterMs = monotonicMs() - killedAtMs;
  const run = await ended;
  const cameBefore = run.samples.filter((each) => each.dueAtMs + each.latencyMs < killedAtMs);
  const settled = latencyOf(cameBefore);
  const backMs = backAfterMs(run.samples, killedAtMs, backWithin * settled.p99_ms);
  const figures = figuresOf({
    ...latencyOf(run.samples),
    per_s: rounded(run.samples.length / seconds, 1),
    lost: run.lost,
    duplicates: run.duplicates,
    in_flight: inFlight,
    back_after_s: backMs === undefined ? null : rounded(backMs / 1_000, 1),
  });
  const note =
    `serving again ${rounded(startedAfterMs / 1_000, 1)} s after the kill; ` +
    `p99 before it ${settled.p99_ms} ms; ${latenessOf(run)}`;
  return { figures, astray: run.astray, note };
}
