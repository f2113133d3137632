import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { startBackends } from "./backends/backends.ts";
import { createCounters, type Fault, type FaultContext } from "./context.ts";
import { writeFault } from "./kinds/crashes.ts";
import { diskErrorFault, diskFullFault, mountSmallDisk } from "./kinds/disk.ts";
import { duplicateFault } from "./kinds/duplicates.ts";
import {
  brokerFault,
  clockFault,
  engineFault,
  hangFault,
  killFault,
  networkFault,
} from "./kinds/process-faults.ts";
import { raceFault } from "./kinds/races.ts";
import { railFault } from "./kinds/rails.ts";
import { type FaultOptions, readOptions } from "./options.ts";
import { type Assertion, checkPlatform } from "./payouts/checks.ts";
import { createLoad } from "./payouts/load.ts";
import { makeRecipients } from "./payouts/recipients.ts";
import { openWebhookRecorder, type WebhookRecorder } from "./payouts/recorder.ts";
import { startFaultPlatform } from "./platform.ts";
import { webhookFault } from "./webhooks/crashes.ts";

/** `npm run test:faults`: README.md says what it tries and how. */

const faults: readonly Fault[] = [
  ...[raceFault, killFault, writeFault, engineFault, brokerFault, hangFault, networkFault],
  ...[duplicateFault, webhookFault, clockFault, railFault, diskErrorFault, diskFullFault],
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
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rmSync(scratch, { recursive: true, force: true }));
  if (unmount !== undefined) ends.defer(unmount);
  // An interrupted run leaves neither a mounted disk nor a process behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(
      signal,
      () => void ends.disposeAsync().finally(() => process.exit(interruptedCode)),
    );
  }
  const random = createRandom(options.seed);
  const backends = await startBackends({ engine: disk, broker: scratch }, random);
  ends.defer(backends.stop);
  const places = { ...backends, busNamespace, databasePrefix: "faults_" };
  const platform = await startFaultPlatform(places);
  ends.defer(platform.stop);
  const recorder = await openWebhookRecorder(platform);
  ends.defer(recorder.close);
  const smallDisk = unmount === undefined ? undefined : disk;
  return await tryAll({ platform, backends, recorder, disk: smallDisk, options });
}

type Place = Pick<FaultContext, "platform" | "backends" | "disk" | "options"> & {
  readonly recorder: WebhookRecorder;
};

async function tryAll({ platform, backends, recorder, disk, options }: Place): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const recipients = await makeRecipients(platform);
  for (const fault of faults) {
    if (options.only.size > 0 && !options.only.has(fault.name)) continue;
    const random = createRandom(options.seed);
    const load = createLoad(platform, recipients, random);
    const counters = createCounters();
    const { fired, recovered } = counters;
    const fixed = { platform, backends, busNamespace, disk, recipients, options };
    const context: FaultContext = { ...fixed, load, random, fired, recovered };
    say(`\n── ${fault.name}: ${fault.about} (seed ${options.seed})`);
    const why = fault.unavailable?.(context);
    if (why !== undefined) {
      counts.skipped += 1;
      say(`skipped: ${why}`);
      continue;
    }
    const own = await fault.run(context);
    const hasFired = { name: "fired", problems: counters.total() > 0 ? [] : ["nothing fired"] };
    const assertions = await checkPlatform(platform, load, recorder, fault.restMs);
    for (const line of summary(counters, load)) say(line);
    sayVerdicts([hasFired, ...own, ...assertions], counts);
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  say(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed === 0 ? 0 : 1;
}

function summary(
  counters: ReturnType<typeof createCounters>,
  { accepted, refused }: FaultContext["load"],
): string[] {
  const refusals = [...refused].map(([code, count]) => `${code} ${count}`);
  return [
    `fired: ${counters.counts().join(", ")}`,
    ...counters.timeLines(),
    `${accepted.length} payouts accepted; refused: ${refusals.join(", ") || "none"}`,
  ];
}

function sayVerdicts(
  assertions: readonly Assertion[],
  counts: { passed: number; failed: number },
): void {
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
