import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { clockFault } from "./clock-fault.ts";
import { diskErrorFault, diskFullFault, mountSmallDisk } from "./disk-fault.ts";
import { duplicateFault } from "./duplicate-fault.ts";
import { type FaultPlatform, startFaultPlatform } from "./fault-platform.ts";
import { type Ground, startGround } from "./ground.ts";
import { killFault } from "./kill-fault.ts";
import { createLoad } from "./load.ts";
import { type FaultOptions, readOptions } from "./options.ts";
import { brokerFault, engineFault, hangFault, networkFault } from "./part-fault.ts";
import { raceFault } from "./race-fault.ts";
import { makeRecipients } from "./recipients.ts";
import { createTallies, type Fault, type Stage } from "./stage.ts";
import { type Assertion, judge } from "./verdict.ts";
import { openWebhookBook, type WebhookBook } from "./webhook-book.ts";
import { webhookFault } from "./webhook-fault.ts";
import { writeFault } from "./write-fault.ts";

/** `npm run test:faults`: README.md tells what it tries and how. */

const faults: readonly Fault[] = [
  ...[raceFault, killFault, writeFault, engineFault, brokerFault, hangFault, networkFault],
  ...[duplicateFault, webhookFault, clockFault, diskErrorFault, diskFullFault],
];
const busNamespace = "faults";
/** Holds the databases of a long run, and is filled quickly. */
const diskMegabytes = 4_096;
const interruptedCode = 130;

async function runFaults(options: FaultOptions): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), "disburse-faults-"));
  const disk = join(scratch, "disk");
  mkdirSync(disk);
  const unmount = mountSmallDisk(disk, diskMegabytes);
  const ends: (() => unknown)[] = [() => rmSync(scratch, { recursive: true, force: true })];
  if (unmount !== undefined) ends.push(unmount);
  const endAll = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  // Whoever has seen enough leaves neither a mounted disk nor a process behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void endAll().finally(() => process.exit(interruptedCode)));
  }
  const random = createRandom(options.seed);
  try {
    const ground = await startGround({ engine: disk, broker: scratch }, random);
    ends.push(ground.stop);
    const places = { ...ground, busNamespace, databasePrefix: "faults_" };
    const platform = await startFaultPlatform(places);
    ends.push(platform.stop);
    const book = await openWebhookBook(platform);
    ends.push(book.close);
    const smallDisk = unmount === undefined ? undefined : disk;
    return await tryAll({ platform, ground, book, disk: smallDisk, options });
  } finally {
    await endAll();
  }
}

type Place = {
  readonly platform: FaultPlatform;
  readonly ground: Ground;
  readonly book: WebhookBook;
  readonly disk: string | undefined;
  readonly options: FaultOptions;
};

async function tryAll({ platform, ground, book, disk, options }: Place): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const recipients = await makeRecipients(platform);
  for (const fault of faults) {
    if (options.only.size > 0 && !options.only.has(fault.name)) continue;
    const random = createRandom(options.seed);
    const load = createLoad(platform, recipients, random);
    const tallies = createTallies();
    const { fired, recovered } = tallies;
    const fixed = { platform, ground, busNamespace, disk, recipients, options, say };
    const stage: Stage = { ...fixed, load, random, fired, recovered };
    say(`\n── ${fault.name}: ${fault.about} (seed ${options.seed})`);
    const why = fault.unavailable?.(stage);
    if (why !== undefined) {
      counts.skipped += 1;
      say(`skipped: ${why}`);
      continue;
    }
    const own = await fault.run(stage);
    const hasFired = { name: "fired", problems: tallies.total() > 0 ? [] : ["nothing fired"] };
    const judged = await judge(platform, load, book, fault.restMs);
    for (const line of summary(tallies, load)) say(line);
    tell([hasFired, ...own, ...judged], counts);
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  say(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed === 0 ? 0 : 1;
}

function summary(
  tallies: ReturnType<typeof createTallies>,
  { accepted, refused }: Stage["load"],
): string[] {
  const refusals = [...refused].map(([code, count]) => `${code} ${count}`);
  return [
    `fired: ${tallies.counts().join(", ")}`,
    ...tallies.timeLines(),
    `${accepted.length} payouts accepted; refused: ${refusals.join(", ") || "none"}`,
  ];
}

function tell(assertions: readonly Assertion[], counts: { passed: number; failed: number }): void {
  for (const { name, problems } of assertions) {
    counts[problems.length === 0 ? "passed" : "failed"] += 1;
    say(`${problems.length === 0 ? "ok    " : "FAILED"} ${name}`);
    for (const problem of problems.slice(0, problemsShown)) say(`         ${problem}`);
  }
}

const problemsShown = 20;

await runCommand((args) => {
  const names = faults.map(({ name }) => name);
  return runFaults(readOptions(args, names));
});
