import { rounded } from "../percentile.ts";
import { figuresOf, latencyOf } from "./figures.ts";
import { monotonicMs } from "./monotonic-clock.ts";
import { pause, resume } from "./platform.ts";
import { fill, type Stage, spentOn, startSteady } from "./stage.ts";
import { latenessOf, type Measured } from "./steady.ts";

/** The slowest drain that is waited for, in deliveries a second. */
const drainMinPerSecond = 150;
/** What is to be reached; new events are published for as long as that takes. */
const drainWantedPerSecond = 700;

/**
 * E: all endpoints are paused while many events come for them, and resumed together. How fast what
 * waited goes out, and how long new events take meanwhile, beside an A right before.
 */
export async function measureOutage(stage: Stage): Promise<Measured> {
  const { platform, arrivals, registered, hooks, options } = stage;
  const { dueAtOnce, roundSeconds } = options.sizes;
  const usual = latencyOf((await startSteady(stage, "ae", hooks, roundSeconds).ended).samples);
  await Promise.all(registered.map((each) => pause(platform, each)));
  await fill(stage, "e", registered, dueAtOnce);
  const seconds = Math.ceil(dueAtOnce / drainWantedPerSecond);
  const resumedAtMs = monotonicMs();
  await Promise.all(registered.map((each) => resume(platform, each)));
  const { ended } = startSteady(stage, "enew", hooks, seconds);
  const waitMaxMs = (dueAtOnce / drainMinPerSecond) * 1_000;
  const { spent } = await spentOn(stage, () => arrivals.untilCame("e", dueAtOnce, waitMaxMs));
  const fresh = await ended;
  const backlog = await arrivals.receipts("e");
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
  const cost = { deliveries: came + during.length, spent };
  return { figures, cost, astray: backlog.astray + fresh.astray, note };
}
