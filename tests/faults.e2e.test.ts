import { openSharedBackends, type SharedBackends } from "@disburse/faults/backends/backends.ts";
import { crashAt } from "@disburse/faults/kinds/crashes.ts";
import {
  checkPlatform,
  openWebhookRecorder,
  type WebhookRecorder,
} from "@disburse/faults/payouts/checks.ts";
import { createLoad, type Load } from "@disburse/faults/payouts/load.ts";
import { makeRecipients } from "@disburse/faults/payouts/recipients.ts";
import { type FaultPlatform, startFaultPlatform } from "@disburse/faults/platform.ts";
import {
  checkWebhooks,
  noteUnrecorded,
  type UnrecordedCalls,
} from "@disburse/faults/webhooks/checks.ts";
import { type CrashPoint, crashNotifier } from "@disburse/faults/webhooks/crashes.ts";
import { createWebhookLoad, type WebhookLoad } from "@disburse/faults/webhooks/load.ts";
import { openWebhookReceiver, type WebhookReceiver } from "@disburse/faults/webhooks/receiver.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

/**
 * Short form of `npm run test:faults`: one platform, some faults of each kind, then the checker.
 */

const random = createRandom(1);
let platform: FaultPlatform;
let backends: SharedBackends;
let recorder: WebhookRecorder;
let load: Load;
let receiver: WebhookReceiver;
let webhooks: WebhookLoad;
const unrecorded: UnrecordedCalls = new Map();

beforeAll(async () => {
  backends = await openSharedBackends({
    mongodbUri: mongodbUri("admin"),
    amqpUrl: amqpUrl(),
    random,
    databasePrefix: `${freshDatabase("faults")}_`,
    busNamespace: freshPrefix("faults").replaceAll(".", "-"),
  });
  platform = await startFaultPlatform(backends.places);
  recorder = await openWebhookRecorder(platform);
  load = createLoad(platform, await makeRecipients(platform), random, 4);
  load.start();
  receiver = await openWebhookReceiver(random);
  // Excludes endpoints that refuse, since the test would wait for their retries.
  const kinds = ["ready", "slow"] as const;
  webhooks = await createWebhookLoad({ platform, receiver, random, kinds, pauseMaxMs: 300 });
  webhooks.start();
});
afterAll(async () => {
  await Promise.all([load?.drain(), webhooks?.drain()]);
  await webhooks?.close();
  await platform?.stop();
  await Promise.all([recorder?.close(), receiver?.close()]);
  await backends?.close();
});

async function untilPayingAgain(): Promise<void> {
  const before = load.accepted.length;
  await vi.waitFor(() => expect(load.accepted.length).toBeGreaterThan(before + 3), {
    timeout: 60_000,
  });
}

it("survives kill -9 of all services at once in the middle of payouts", async () => {
  await untilPayingAgain();
  await Promise.all(serviceNames.map((service) => platform.kill(service)));
  await noteUnrecorded({ platform, receiver, load: webhooks }, unrecorded);
  await Promise.all(serviceNames.map((service) => platform.start(service)));
});

/** Each step recurs while both loads run, but late on a busy machine. */
const crashWithinMs = 60_000;

const gaps = [
  ["quote", "services/quote/src/quotes/store.ts", "after", 4],
  ["payout", "packages/ledger/src/writer.ts", "after", 3],
  ["payout", "services/payout/src/payouts/store.ts", "before", 2],
  ["payout", "services/payout/src/payouts/work.ts", "after", 5],
] as const;

/**
 * Crashes between consuming, inserting and acknowledging, and between posting and settling. Events
 * are stored in one write. Those left unacknowledged by the crash are redelivered one by one in the
 * next step.
 */
const steps: readonly (readonly [CrashPoint, number])[] = [
  [{ kind: "write", site: "packages/chassis/src/mongo/database.ts", side: "after" }, 3],
  [{ kind: "write", site: "services/notifier/src/deliveries/insert.ts", side: "after" }, 1],
  [{ kind: "write", site: "packages/chassis/src/amqp/consumers.ts", side: "after" }, 5],
  [{ kind: "call", point: "arrival" }, 4],
  [
    {
      kind: "write",
      site: "services/notifier/src/deliveries/dispatch/work-store.ts",
      side: "before",
    },
    2,
  ],
];

async function crashBetweenWrites(): Promise<void> {
  for (const [service, site, side, number] of gaps) {
    const gap = { service, site, side };
    const hasCrashed = await crashAt(platform, gap, number, crashWithinMs);
    expect(hasCrashed, `${side} ${site}`).toBe(true);
    if (service === "quote") await platform.start("quote");
  }
  await platform.start("payout");
}

async function crashBetweenSteps(): Promise<void> {
  const scenario = { platform, receiver, load: webhooks };
  for (const [point, number] of steps) {
    const hasCrashed = await crashNotifier(scenario, unrecorded, point, number, crashWithinMs);
    expect(hasCrashed, JSON.stringify(point)).toBe(true);
  }
  await platform.start("notifier");
}

it("recovers from crashes between hold, claim, create and submit, and at each step of a webhook", async () => {
  // Waits for both, so that neither continues after the other fails.
  const crashes = await Promise.allSettled([crashBetweenWrites(), crashBetweenSteps()]);
  expect(crashes.filter(({ status }) => status === "rejected")).toEqual([]);
  await webhooks.drain();
  await untilPayingAgain();
});

it("keeps paying after connections to engine and broker were cut, silent and slow", async () => {
  const { engine, broker } = backends;
  expect(engine.disconnectAll()).toBeGreaterThan(0);
  broker.set("disconnected");
  await untilPayingAgain();
  broker.set("normal");
  engine.set("trickle");
  await untilPayingAgain().finally(() => engine.set("normal"));
});

it("delivers every webhook, and repeats only calls that a crash left unrecorded", async () => {
  const assertions = await checkWebhooks({ platform, receiver, load: webhooks }, unrecorded);
  expect(assertions.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

it("loses no payout, pays none twice, and notifies the merchant of every change", async () => {
  const assertions = await checkPlatform(platform, load, recorder);
  expect(
    assertions.flatMap(({ name, problems }) => problems.map((each) => `${name}: ${each}`)),
  ).toEqual([]);
  expect(load.unanswered()).toBe(0);
});
