import { rounded } from "../measures/percentile.ts";
import { figuresOf, latencyOf } from "./figures.ts";
import { fill, type Harness, measureUsage, startSteady } from "./harness.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import { pause, resume } from "./platform.ts";
import { backAfterMs } from "./tally.ts";
import { latenessOf, type Measured } from "./throughput.ts";

/** The slowest drain that is waited for, in deliveries a second. */
const drainMinPerSecond = 150;
/** What is to be reached; new events are published for as long as that takes. */
const drainWantedPerSecond = 700;

/**
 * E: all endpoints are paused while many events come for them, and resumed together. How fast what
 * waited goes out, and how long new events take meanwhile, beside an A right before.
 */
export async function measureOutage(harness: Harness): Promise<Measured> {
  const { platform, receivers, registered, endpoints, options } = harness;
  const { dueAtOnce, roundSeconds } = options.sizes;
  const usual = latencyOf(
    (await startSteady(harness, "ae", endpoints, roundSeconds).ended).samples,
  );
  await Promise.all(registered.map((each) => pause(platform, each)));
  await fill(harness, "e", registered, dueAtOnce);
  const seconds = Math.ceil(dueAtOnce / drainWantedPerSecond);
  const resumedAtMs = monotonicMs();
  await Promise.all(registered.map((each) => resume(platform, each)));
  const { ended } = startSteady(harness, "enew", endpoints, seconds);
  const waitMaxMs = (dueAtOnce / drainMinPerSecond) * 1_000;
  const { usage } = await measureUsage(harness, () =>
    receivers.untilArrived("e", dueAtOnce, waitMaxMs),
  );
  const fresh = await ended;
  const backlog = await receivers.receipts("e");
  const drainedAtMs = [...backlog.firstAtMs.values()].reduce((a, b) => Math.max(a, b), resumedAtMs);
  const during = fresh.samples.filter(({ dueAtMs }) => dueAtMs <= drainedAtMs);
  const latency = latencyOf(during);
  const came = backlog.firstAtMs.size;
  const figures = figuresOf({
    ...latency,
    per_s: rounded((came * 1_000) / (drainedAtMs - resumedAtMs), 1),
    p99_to_a: rounded(latency.p99_ms / usual.p99_ms, 2),
    lost: dueAtOnce - came + fresh.lost,
    duplicates: backlog.duplicates + fresh.duplicates,
  });
  const note = `p99 of A before it ${usual.p99_ms} ms; ${latenessOf(fresh)}`;
  const cost = { deliveries: came + during.length, usage };
  return { figures, cost, misrouted: backlog.misrouted + fresh.misrouted, note };
}

/** Latency is back where a second's p99 is within this many times the p99 before the kill. */
const backWithin = 1.5;

/** F: A, in the middle of which the notifier is killed and started again where it was. */
export async function measureCrash(harness: Harness): Promise<Measured> {
  const { platform, endpoints, options } = harness;
  const { beforeKillSeconds, afterKillSeconds } = options.sizes;
  const seconds = beforeKillSeconds + afterKillSeconds;
  const { startsAtMs, ended } = startSteady(harness, "f", endpoints, seconds);
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
  return { figures, misrouted: run.misrouted, note };
}
