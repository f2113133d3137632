import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { countOption, judge, skipBecause } from "@disburse/harness/scenario.ts";
import { afterAll, beforeAll, test } from "vitest";
import { type FaultBackends, startBackends } from "./backends/backends.ts";
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
import { checkPlatform, openWebhookRecorder, type WebhookRecorder } from "./payouts/checks.ts";
import { createLoad } from "./payouts/load.ts";
import { makeRecipients, type Recipient } from "./payouts/recipients.ts";
import { type FaultPlatform, startFaultPlatform } from "./platform.ts";
import { webhookFault } from "./webhooks/crashes.ts";

/** `npm run test:faults`: README.md describes the faults. */

const faults: readonly Fault[] = [
  ...[raceFault, killFault, writeFault, engineFault, brokerFault, hangFault, networkFault],
  ...[duplicateFault, webhookFault, clockFault, diskErrorFault, diskFullFault],
];
const options = {
  kills: countOption("kills", 1_000),
  seeds: countOption("seeds", 20),
  seed: countOption("seed", 1),
  races: countOption("races", 2_000),
  perPoint: countOption("per-point", 5),
};
const busNamespace = "faults";
/** Holds the databases of a long run, and fills quickly. */
const diskMegabytes = 4_096;

const ends = new AsyncDisposableStack();
let disk: string | undefined;
let backends: FaultBackends;
let platform: FaultPlatform;
let recorder: WebhookRecorder;
let recipients: readonly Recipient[];

beforeAll(async () => {
  // The script removes the folder and unmounts the disk if the run is interrupted.
  const scratch = mkdtempSync(join(tmpdir(), "faults-"));
  const engine = join(scratch, "disk");
  mkdirSync(engine);
  const unmount = mountSmallDisk(engine, diskMegabytes);
  if (unmount !== undefined) {
    ends.defer(unmount);
    disk = engine;
  }
  backends = await startBackends({ engine, broker: scratch }, createRandom(options.seed));
  ends.defer(backends.stop);
  platform = await startFaultPlatform({ ...backends, busNamespace, databasePrefix: "faults_" });
  ends.defer(platform.stop);
  recorder = await openWebhookRecorder(platform);
  ends.defer(recorder.close);
  recipients = await makeRecipients(platform);
});
afterAll(() => ends.disposeAsync());

test.for(faults)("$name", async (fault, test) => {
  const random = createRandom(options.seed);
  const load = createLoad(platform, recipients, random);
  const { fired, recovered, ...counted } = createCounters();
  const fixed = { platform, backends, busNamespace, disk, recipients, options };
  const context: FaultContext = { ...fixed, load, random, fired, recovered };
  skipBecause(test, fault.unavailable?.(context));
  say(`\n── ${fault.name}: ${fault.about} (seed ${options.seed})`);
  const own = await fault.run(context);
  const hasFired = { name: "fired", problems: counted.total() > 0 ? [] : ["nothing fired"] };
  const after = await checkPlatform(platform, load, recorder, fault.restMs);
  const refusals = [...load.refused].map(([code, count]) => `${code} ${count}`);
  say(`fired: ${counted.counts().join(", ")}`);
  for (const line of counted.timeLines()) say(line);
  say(`${load.accepted.length} payouts accepted; refused: ${refusals.join(", ") || "none"}`);
  judge([hasFired, ...own, ...after]);
});
