import { setTimeout as pause } from "node:timers/promises";
import { startAndGo } from "@disburse/faults/kinds/crashes.ts";
import { say } from "@disburse/harness/command-line.ts";
import type { Random } from "@disburse/harness/random.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import { serviceOf } from "@disburse/invariants/documents.ts";
import type { World } from "../world.ts";

const kinds = ["write", "step"] as const;

/** A place at which a crash is tested: a database write, or a step towards the counterpart. */
type Place = { readonly kind: (typeof kinds)[number]; readonly at: string };
/** `number` selects the call, from 1, because a file passes the same place at several stages. */
type Gap = Place & { readonly side: "before" | "after"; readonly number: number };

const preload = new URL("./step-preload.ts", import.meta.url).href;
/** Time to find the places. Under load, even a rail's rarest step occurs in this time. */
const discoverMs = 20_000;
const sayEvery = 10;

/** A rail's folders and the steps that its counterpart sees. */
export type CrashPlan = {
  readonly folders: RegExp;
  readonly steps: RegExp;
  readonly calls: number;
  readonly rounds: number;
  /** A step that doesn't occur within this time doesn't occur in this state. */
  readonly withinMs: number;
  /**
   * Maximum number of tested gaps. If there are more gaps, the tested ones are chosen at random.
   */
  readonly gapsMax: number;
  readonly random: Random;
};

/**
 * Under load, kills the payout service immediately before and after each of a rail's writes and
 * counterpart calls. The load continues afterwards.
 */
export async function crashEverywhere(world: World, plan: CrashPlan): Promise<Verdict> {
  const { calls, rounds, random, withinMs, gapsMax } = plan;
  const places = await findPlaces(world, plan);
  for (const { kind, at } of places) say(`${kind} ${at}`);
  const numbers = Array.from({ length: calls }, (_each, at) => at + 1);
  const gaps = places.flatMap((place) =>
    numbers.flatMap((number): Gap[] => [
      { ...place, number, side: "before" },
      { ...place, number, side: "after" },
    ]),
  );
  const all = Array.from({ length: rounds }, () => random.shuffled(gaps))
    .flat()
    .slice(0, gapsMax);
  const fired = new Set<string>();
  let kills = 0;
  for (const [index, gap] of all.entries()) {
    if (await crashOnce(world, gap, withinMs)) {
      kills += 1;
      fired.add(`${gap.side} ${gap.at}`);
    }
    if ((index + 1) % sayEvery === 0) say(`${index + 1} of ${all.length} gaps, ${kills} kills`);
  }
  const sides = [...new Set(all.map(({ side, at }) => `${side} ${at}`))];
  const missed = sides.filter((side) => !fired.has(side));
  for (const side of missed) say(`no crash ${side} happened`);
  return {
    name: "crashes",
    problems: [
      ...kinds
        .filter((kind) => places.every((place) => place.kind !== kind))
        .map((kind) => `no ${kind} of the rail was found`),
      // Tolerates some missed gaps, because a step that only follows a failure is rare.
      ...(missed.length * 4 > sides.length ? [`${missed.length} sides of steps never came`] : []),
    ],
    figures: `${kills} kills at ${fired.size} of ${sides.length} sides of ${places.length} steps`,
  };
}

async function findPlaces(world: World, { folders, steps, withinMs }: CrashPlan): Promise<Place[]> {
  const { platform } = world;
  await kill(world);
  const environment = { RAIL_STEP: "", FAULT_WRITE_SITE: "" };
  await platform.start("payout", { preload, environment });
  await pause(Math.max(discoverMs, withinMs));
  const log = platform.log("payout");
  await kill(world);
  await platform.start("payout");
  const reported = (pattern: RegExp) => [
    ...new Set([...log.matchAll(pattern)].map(([, found = ""]) => found)),
  ];
  const writes = reported(/^fault-write-site (\S+)$/gm).filter((site) => folders.test(site));
  const calls = reported(/^rail-step (.+)$/gm).filter((step) => steps.test(step));
  return [
    ...writes.sort().map((at) => ({ kind: "write", at }) as const),
    ...calls.sort().map((at) => ({ kind: "step", at }) as const),
  ];
}

async function crashOnce(
  world: World,
  { kind, at, side, number }: Gap,
  withinMs: number,
): Promise<boolean> {
  const none = { RAIL_STEP: "none", FAULT_WRITE_SITE: "none" };
  const own =
    kind === "write"
      ? { FAULT_WRITE_SITE: at, FAULT_WRITE_SIDE: side, FAULT_WRITE_NUMBER: String(number) }
      : { RAIL_STEP: at, RAIL_STEP_SIDE: side, RAIL_STEP_NUMBER: String(number) };
  await kill(world);
  const extras = { preload, environment: { ...none, ...own } };
  const hasCrashed = await startAndGo(world.platform, "payout", withinMs, extras);
  await kill(world);
  await world.platform.start("payout");
  return hasCrashed;
}

/**
 * Kills the service and ends its rail leases at once. Leases only prevent duplicate work, and
 * waiting for each would take most of the run.
 */
async function kill({ platform, databases }: World): Promise<void> {
  await platform.kill("payout");
  const database = databases.client.db(`${databases.prefix}${serviceOf.payouts}`);
  await database
    .collection<{ _id: string }>("leases")
    .updateMany({ _id: /^rail / }, { $set: { until: new Date(0) } });
}
