import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { say } from "@disburse/harness/command-line.ts";
import { createLoop, settlesWithin } from "@disburse/harness/waiting.ts";
import type { ServiceProcesses, StartExtras } from "@disburse/platform/processes.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { Fault, FaultContext } from "../context.ts";

/** Services that take part in a payout after its quote. */
const services: readonly ServiceName[] = ["payout", "quote", "gateway", "notifier"];
const preload = new URL("./write-preload.ts", import.meta.url).href;
/** In this time, a running platform makes every kind of write. */
const discoverMs = 10_000;
/**
 * A write that doesn't occur within this time doesn't occur at all in this state of the platform.
 */
export const fireMs = 10_000;
/**
 * Limits the random number of the write to crash at. The first writes often come just after the
 * service started.
 */
const numberMax = 6;
/** Opens and credits an account this often, because payouts don't cause these writes. */
const creditEveryMs = 500;

const sayEvery = 20;

/** A source line that writes, and its number of writes during discovery. */
export type Site = { readonly at: string; readonly writes: number };

/** A point immediately before or after a write. */
type Gap = { readonly service: ServiceName; readonly site: string; readonly side: Side };
type CountedGap = Gap & { readonly writes: number };
type Side = "before" | "after";

export const writeFault: Fault = {
  name: "writes",
  about: "a crash in every gap between two writes, found while they run",
  run: async (context) => {
    const { load, options, random } = context;
    load.start();
    let credited = 0;
    const credits = createLoop(async () => {
      if (await creditAccount(context)) credited += 1;
      await pause(creditEveryMs);
    }, 1);
    credits.start();
    for (const service of services) {
      const sites = await findSites(context.platform, service);
      say(`${service} writes in ${sites.length} places`);
      const gaps = sites.flatMap(({ at: site, writes }): CountedGap[] => [
        { service, site, writes, side: "before" },
        { service, site, writes, side: "after" },
      ]);
      const rounds = Array.from({ length: options.perPoint }, () => random.shuffled(gaps));
      const missed = new Set<string>();
      for (const [at, gap] of rounds.flat().entries()) {
        if (!(await crashOnce(context, gap))) missed.add(gap.site);
        if ((at + 1) % sayEvery === 0) say(`${at + 1} of ${gaps.length * rounds.length} crashes`);
      }
      for (const site of missed) say(`not every crash at ${site} happened`);
    }
    await credits.drain();
    await load.drain();
    return [{ name: "accounts credited", problems: credited > 0 ? [] : ["none was"] }];
  },
};

/** Opens an account and credits it. Returns false if a crash interrupted it. */
function creditAccount({ platform }: FaultContext): Promise<boolean> {
  return platform.openAccount("1.00").then(
    () => true,
    () => false,
  );
}

/** Restarts a service in report mode under load. Returns where it wrote. */
export async function findSites(
  processes: ServiceProcesses,
  service: ServiceName,
): Promise<Site[]> {
  await processes.kill(service);
  await processes.start(service, { preload, environment: { FAULT_WRITE_SITE: "" } });
  await pause(discoverMs);
  const reported = processes.log(service).matchAll(/^fault-write-site (\S+)$/gm);
  const counts = new Map<string, number>();
  for (const [, at = ""] of reported) counts.set(at, (counts.get(at) ?? 0) + 1);
  await processes.kill(service);
  await processes.start(service);
  const sites = [...counts].map(([at, writes]) => ({ at, writes }));
  return sites.sort((one, other) => one.at.localeCompare(other.at));
}

/** Tests one gap, then restarts the service. Returns whether it crashed. */
async function crashOnce(
  { platform, random, fired }: FaultContext,
  gap: CountedGap,
): Promise<boolean> {
  // A write that occurs only once, at start, has no second occurrence.
  const number = 1 + random.below(Math.min(numberMax, gap.writes));
  const hasCrashed = await crashAt(platform, gap, number);
  if (hasCrashed) fired(`crash ${gap.side} a write of ${gap.service}`);
  await platform.kill(gap.service);
  await platform.start(gap.service);
  return hasCrashed;
}

const root = join(import.meta.dirname, "../../../../..");

/**
 * Restarts a service so that it crashes at the `number`th write of a site. Returns whether it
 * crashed.
 *
 * @throws {Error} if the repository has no file with this name, because the service could never
 * crash there.
 */
export async function crashAt(
  processes: ServiceProcesses,
  { service, site, side }: Gap,
  number: number,
  withinMs = fireMs,
): Promise<boolean> {
  const [file = ""] = site.split(":");
  if (!existsSync(join(root, file))) throw new Error(`there is no ${file}`);
  await processes.kill(service);
  const environment = {
    FAULT_WRITE_SITE: site,
    FAULT_WRITE_SIDE: side,
    FAULT_WRITE_NUMBER: String(number),
  };
  return startAndGo(processes, service, withinMs, { preload, environment });
}

/** Starts a service that will crash. Returns whether it ended in time. */
export async function startAndGo(
  processes: ServiceProcesses,
  service: ServiceName,
  withinMs: number,
  extras?: StartExtras,
): Promise<boolean> {
  // The service may crash while it starts.
  await processes.start(service, extras).catch(() => undefined);
  return settlesWithin(processes.gone(service), withinMs);
}
