import { type BorrowedGround, openBorrowedGround } from "@disburse/faults/borrowed-ground.ts";
import { type FaultPlatform, startFaultPlatform } from "@disburse/faults/fault-platform.ts";
import { createLoad, type Load } from "@disburse/faults/load.ts";
import { makeRecipients } from "@disburse/faults/recipients.ts";
import { judge } from "@disburse/faults/verdict.ts";
import { openWebhookBook, type WebhookBook } from "@disburse/faults/webhook-book.ts";
import { type CrashPoint, crashNotifier } from "@disburse/faults/webhook-fault.ts";
import { openWebhookHooks, type WebhookHooks } from "@disburse/faults/webhook-hooks.ts";
import { createWebhookLoad, type WebhookLoad } from "@disburse/faults/webhook-load.ts";
import { judgeWebhooks, type LostCalls, noteLost } from "@disburse/faults/webhook-verdict.ts";
import { crashAt } from "@disburse/faults/write-fault.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { serviceNames } from "@disburse/sandbox/environments.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

/** The short form of `npm run test:faults`: one platform, some of each kind, then the checker. */

const random = createRandom(1);
let platform: FaultPlatform;
let ground: BorrowedGround;
let book: WebhookBook;
let load: Load;
let receiver: WebhookHooks;
let webhooks: WebhookLoad;
const lost: LostCalls = new Map();

beforeAll(async () => {
  ground = await openBorrowedGround({
    mongodbUri: mongodbUri("admin"),
    amqpUrl: amqpUrl(),
    random,
    databasePrefix: `${freshDatabase("faults")}_`,
    busNamespace: freshPrefix("faults").replaceAll(".", "-"),
  });
  platform = await startFaultPlatform(ground.places);
  book = await openWebhookBook(platform);
  load = createLoad(platform, await makeRecipients(platform), random, 4);
  load.go();
  receiver = await openWebhookHooks(random);
  // None that refuses, for its retries would be waited for.
  const kinds = ["ready", "slow"] as const;
  webhooks = await createWebhookLoad({ platform, receiver, random, kinds, pauseMaxMs: 300 });
  webhooks.go();
});
afterAll(async () => {
  await Promise.all([load?.rest(), webhooks?.rest()]);
  await webhooks?.close();
  await platform?.stop();
  await Promise.all([book?.close(), receiver?.close()]);
  await ground?.close();
});

/** Payouts go on being made after a fault. */
async function untilPayingAgain(): Promise<void> {
  const before = load.accepted.length;
  await vi.waitFor(() => expect(load.accepted.length).toBeGreaterThan(before + 3), {
    timeout: 60_000,
  });
}

it("takes kill -9 of all services at once in the middle of payouts", async () => {
  await untilPayingAgain();
  await Promise.all(serviceNames.map((service) => platform.kill(service)));
  await noteLost({ platform, receiver, load: webhooks }, lost);
  await Promise.all(serviceNames.map((service) => platform.start(service)));
});

/** While both loads go on every step comes again and again, on a busy machine late. */
const crashWithinMs = 60_000;

const gaps = [
  ["quote", "services/quote/src/quote-store.ts", "after", 4],
  ["payout", "services/payout/src/ledger/writer.ts", "after", 3],
  ["payout", "services/payout/src/payouts/store.ts", "before", 2],
  ["payout", "services/payout/src/payouts/work.ts", "after", 5],
] as const;

/**
 * Between consuming, inserting and acknowledging, and between posting and settling. Events come
 * in one write; those that the crash left unacknowledged come again, one by one, in the next step.
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
  const scene = { platform, receiver, load: webhooks };
  for (const [point, number] of steps) {
    const hasCrashed = await crashNotifier(scene, lost, point, number, crashWithinMs);
    expect(hasCrashed, JSON.stringify(point)).toBe(true);
  }
  await platform.start("notifier");
}

it("goes on after crashes between hold, claim, create, submit, and at each step of a webhook", async () => {
  await Promise.all([crashBetweenWrites(), crashBetweenSteps()]);
  await webhooks.rest();
  await untilPayingAgain();
});

it("pays on after connections to engine and broker were cut, silent and slow", async () => {
  const { engine, broker } = ground;
  expect(engine.cutAll()).toBeGreaterThan(0);
  broker.set("cut");
  await untilPayingAgain();
  broker.set("clear");
  engine.set("drip");
  await untilPayingAgain();
  engine.set("clear");
});

it("brought every webhook to its end, none twice that was not under way", async () => {
  const judged = await judgeWebhooks({ platform, receiver, load: webhooks }, lost);
  expect(judged.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

it("lost nothing, paid nothing twice, told the merchant of everything", async () => {
  const judged = await judge(platform, load, book);
  expect(
    judged.flatMap(({ name, problems }) => problems.map((each) => `${name}: ${each}`)),
  ).toEqual([]);
  expect(load.unanswered()).toBe(0);
});
