import { say } from "@disburse/harness/command-line.ts";
import { median, rounded } from "../measures/percentile.ts";
import { largeMerchants, statuses } from "./endpoints.ts";
import { figuresOf, latencyOf } from "./figures.ts";
import {
  fill,
  type Harness,
  pendingOf,
  type SteadyRun,
  startSteady,
  untilPending,
} from "./harness.ts";
import { pause, type Registered, registerDead } from "./platform.ts";
import type { Measured } from "./throughput.ts";

/** A round: A's open loop, the same with a dead endpoint, the same with much waiting on that. */
type Round = { readonly A: SteadyRun; readonly C?: WithDead; readonly D?: WithDead };
/** How the healthy endpoints fared, and how many of the dead one's events were not kept. */
type WithDead = { readonly run: SteadyRun; readonly deadLost: number };

/** The last events of a run may be on their way to the store when all others have arrived. */
const keptTimeoutMs = 10_000;

/** Which of the two scenarios are measured. */
export type DeadEndpointNames = readonly ("C" | "D")[];

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
  const dead = await registerDead(platform, beside, endpoints.length, receivers.deadUrl);
  const all = [...endpoints, dead.endpoint];
  const runWith = async (run: string): Promise<WithDead> => {
    const before = await pendingOf(platform, [dead.endpointId]);
    const ended = await startSteady(harness, run, all, roundSeconds).ended;
    return { run: ended, deadLost: await deadLost(harness, dead, before + 2 * roundSeconds) };
  };
  const C = names.includes("C") ? await runWith(`c${number}`) : undefined;
  if (names.includes("D")) await fill(harness, `w${number}`, [dead], waiting);
  const D = names.includes("D") ? await runWith(`d${number}`) : undefined;
  await pause(platform, dead);
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
