import { say } from "@disburse/harness/command-line.ts";
import { median, rounded } from "../measures/percentile.ts";
import { deadStatus, largeMerchants, statuses } from "./endpoints.ts";
import { figuresOf, latencyOf } from "./figures.ts";
import {
  fill,
  type Harness,
  measureUsage,
  pendingOf,
  type SteadyRun,
  startSteady,
  untilPending,
} from "./harness.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import { type Registered, register } from "./platform.ts";
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
  const { receivers, registered, endpoints, options } = harness;
  const { dueAtOnce, roundSeconds } = options.sizes;
  const usual = latencyOf(
    (await startSteady(harness, "ae", endpoints, roundSeconds).ended).samples,
  );
  await Promise.all(registered.map((each) => each.pause()));
  await fill(harness, "e", registered, dueAtOnce);
  const seconds = Math.ceil(dueAtOnce / drainWantedPerSecond);
  const resumedAtMs = monotonicMs();
  await Promise.all(registered.map((each) => each.resume()));
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

/** A round: A's open loop, the same with a dead endpoint, the same with much waiting on that. */
type Round = { readonly A: SteadyRun; readonly C?: WithDead; readonly D?: WithDead };
/** How the healthy endpoints fared, and how many of the dead one's events were not kept. */
type WithDead = { readonly run: SteadyRun; readonly deadLost: number };

/** The last events of a run may be on their way to the store when all others have arrived. */
const keptTimeoutMs = 10_000;

/** Which of the two scenarios are measured. */
type DeadEndpointNames = readonly ("C" | "D")[];

/** C and D, each beside an A of the same round; the figures are medians of the rounds. */
export async function measureDeadEndpoint(
  harness: Harness,
  names: DeadEndpointNames,
): Promise<Partial<Record<"C" | "D", Measured>>> {
  const rounds: Round[] = [];
  for (let number = 1; number <= harness.options.sizes.rounds; number += 1) {
    say(`  round ${number}`);
    rounds.push(await measureRound(harness, number, names));
  }
  return Object.fromEntries(names.map((name) => [name, measuredOf(rounds, name)]));
}

async function measureRound(
  harness: Harness,
  number: number,
  names: DeadEndpointNames,
): Promise<Round> {
  const { platform, receivers, endpoints, options } = harness;
  const { roundSeconds, waiting } = options.sizes;
  // A merchant has as many endpoints as it may then: each round has the dead one at another.
  const beside = endpoints[((number - 1) % largeMerchants) * statuses.length];
  if (beside === undefined) throw new Error("there is no endpoint");
  const A = await startSteady(harness, `a${number}`, endpoints, roundSeconds).ended;
  const never = { at: endpoints.length, merchantId: beside.merchantId, status: deadStatus };
  const dead = await register(platform, never, receivers.deadUrl);
  const all = [...endpoints, dead.endpoint];
  const runWith = async (run: string): Promise<WithDead> => {
    const before = await pendingOf(platform, [dead.endpointId]);
    const ended = await startSteady(harness, run, all, roundSeconds).ended;
    return { run: ended, deadLost: await deadLost(harness, dead, before + 2 * roundSeconds) };
  };
  const C = names.includes("C") ? await runWith(`c${number}`) : undefined;
  if (names.includes("D")) await fill(harness, `w${number}`, [dead], waiting);
  const D = names.includes("D") ? await runWith(`d${number}`) : undefined;
  await dead.pause();
  return { A, ...(C && { C }), ...(D && { D }) };
}

/** All events of the endpoint that never answers must be kept for it: how many are not. */
async function deadLost({ platform }: Harness, dead: Registered, wanted: number): Promise<number> {
  return wanted - (await untilPending(platform, [dead.endpointId], wanted, keptTimeoutMs));
}

function measuredOf(rounds: readonly Round[], name: "C" | "D"): Measured {
  const measured = rounds.flatMap((round) => {
    const withDead = round[name];
    return withDead === undefined ? [] : [{ ...withDead, a: latencyOf(round.A.samples) }];
  });
  const latencies = measured.map(({ run }) => latencyOf(run.samples));
  const ratios = measured.map(({ a }, at) => (latencies[at]?.p99_ms ?? 0) / a.p99_ms);
  const sum = (of: (each: (typeof measured)[number]) => number) =>
    measured.reduce((total, each) => total + of(each), 0);
  const figures = figuresOf({
    p50_ms: median(latencies.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(latencies.map(({ p99_ms }) => p99_ms)),
    per_s: rounded(sum(({ run }) => run.samples.length) / sum(({ run }) => run.seconds), 1),
    p99_to_a: rounded(median(ratios), 2),
    lost: sum(({ run, deadLost: missing }) => run.lost + missing),
    duplicates: sum(({ run }) => run.duplicates),
  });
  const of = (values: readonly number[]) => values.map((value) => rounded(value, 1)).join(", ");
  const note =
    `p99 of the rounds ${of(latencies.map(({ p99_ms }) => p99_ms))} ms; ` +
    `of A in them ${of(measured.map(({ a }) => a.p99_ms))} ms`;
  return { figures, note, misrouted: sum(({ run }) => run.misrouted) };
}
