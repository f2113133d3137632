import { say } from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import type { Fault, FaultContext } from "../context.ts";
import { crashAt, findSites, fireMs, type Site, startAndGo } from "../kinds/crashes.ts";
import {
  checkWebhooks,
  noteUnrecorded,
  type UnrecordedCalls,
  type WebhookScenario,
} from "./checks.ts";
import { createWebhookLoad } from "./load.ts";
import { clockJumps, webhookOutages } from "./outages.ts";
import { type CallPoint, openWebhookReceiver } from "./receiver.ts";

/** A crash at a write or an acknowledgement, or during a call. */
export type CrashPoint =
  | { readonly kind: "write"; readonly site: string; readonly side: "before" | "after" }
  | { readonly kind: "call"; readonly point: CallPoint };

/**
 * Limits the random number of the event to crash at. The first events often come just after the
 * service started.
 */
const numberMax = 12;
const crashesPerSeed = 3;
const sayEvery = 10;

export const webhookFault: Fault = {
  name: "webhooks",
  about: "a notifier killed between all its steps; outages, duplicates, stale and stray workers",
  run: async (context) => {
    const receiver = await openWebhookReceiver(createRandom(context.options.seed));
    try {
      return [
        ...(await crashEverywhere(context, receiver)),
        ...(await webhookOutages(context, receiver)),
        ...(await clockJumps(context, receiver)),
      ];
    } finally {
      await receiver.close();
    }
  },
};

async function crashEverywhere(
  context: FaultContext,
  receiver: WebhookScenario["receiver"],
): Promise<readonly Verdict[]> {
  const { platform, random, options } = context;
  const points = await findPoints(context, receiver);
  say(`${points.length} points to crash at`);
  const load = await createWebhookLoad({ platform, receiver, random });
  const scenario = { platform, receiver, load };
  load.start();
  const unrecorded: UnrecordedCalls = new Map();
  const times = Math.max(options.seeds * crashesPerSeed, points.length);
  const rounds = Array.from({ length: Math.ceil(times / points.length) }, () =>
    random.shuffled(points),
  );
  const missed = new Set<string>();
  for (const [at, point] of rounds.flat().slice(0, times).entries()) {
    const number = 1 + random.below(numberMax);
    // Some writes occur only once, when the service starts.
    const hasCrashed =
      (await crashNotifier(scenario, unrecorded, point, number)) ||
      (await crashNotifier(scenario, unrecorded, point, 1));
    if (hasCrashed) context.fired(`crash ${nameOf(point)}`);
    else missed.add(nameOf(point));
    if ((at + 1) % sayEvery === 0) say(`${at + 1} of ${times} crashes`);
  }
  await platform.start("notifier");
  for (const name of missed) say(`not every crash ${name} happened`);
  const lostCount = [...unrecorded.values()].reduce((sum, count) => sum + count, 0);
  say(
    `${load.published.length} events, ${receiver.calls()} calls, ${lostCount} of them unrecorded`,
  );
  const assertions = await checkWebhooks(scenario, unrecorded);
  await load.close();
  return assertions;
}

/** Returns the notifier's write sites under load, and both ends of a call. */
async function findPoints(
  { platform, random }: FaultContext,
  receiver: WebhookScenario["receiver"],
): Promise<CrashPoint[]> {
  const load = await createWebhookLoad({ platform, receiver, random });
  load.start();
  const sites = await findSites(platform, "notifier");
  await load.drain();
  await load.close();
  return crashPoints(sites);
}

/** Returns both sides of every write, and both ends of a call. */
function crashPoints(sites: readonly Site[]): CrashPoint[] {
  const points = (["arrival", "answer"] as const).map(
    (point) => ({ kind: "call", point }) as const,
  );
  const writes = sites.flatMap(({ at: site }) =>
    (["before", "after"] as const).map((side) => ({ kind: "write", site, side }) as const),
  );
  return [...writes, ...points];
}

function nameOf(point: CrashPoint): string {
  return point.kind === "write" ? `${point.side} ${point.site}` : `at the ${point.point} of a call`;
}

/**
 * Restarts the notifier so that it crashes at the point. Counts the calls without a recorded
 * attempt. Afterwards the notifier isn't running.
 */
export async function crashNotifier(
  scenario: WebhookScenario,
  unrecorded: UnrecordedCalls,
  point: CrashPoint,
  number: number,
  withinMs = fireMs,
): Promise<boolean> {
  const { platform } = scenario;
  const kill = async () => {
    await platform.kill("notifier");
    await noteUnrecorded(scenario, unrecorded);
  };
  await kill();
  const hasCrashed = await goTo(point, number, withinMs, scenario);
  await kill();
  return hasCrashed;
}

/**
 * Starts the notifier, which crashes when it reaches the point for the `number`th time. Returns
 * whether it crashed.
 */
async function goTo(
  point: CrashPoint,
  number: number,
  withinMs: number,
  { platform, receiver }: WebhookScenario,
): Promise<boolean> {
  if (point.kind === "write") {
    const { site, side } = point;
    return crashAt(platform, { service: "notifier", site, side }, number, withinMs);
  }
  const kill = () => void process.kill(platform.pid("notifier"), "SIGKILL");
  const callOff = receiver.report(point.point, number, kill);
  const hasCrashed = await startAndGo(platform, "notifier", withinMs);
  callOff();
  return hasCrashed;
}
