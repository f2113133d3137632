import { type BorrowedGround, openBorrowedGround } from "@disburse/faults/borrowed-ground.ts";
import { type FaultPlatform, startFaultPlatform } from "@disburse/faults/fault-platform.ts";
import { createLoad, type Load } from "@disburse/faults/load.ts";
import { randomOf } from "@disburse/faults/random.ts";
import { makeRecipients } from "@disburse/faults/recipients.ts";
import { judge } from "@disburse/faults/verdict.ts";
import { openWebhookBook, type WebhookBook } from "@disburse/faults/webhook-book.ts";
import { crashAt } from "@disburse/faults/write-fault.ts";
import { serviceNames } from "@disburse/sandbox/environments.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

/** The short form of `npm run test:faults`: one platform, some of each kind, then the checker. */

const random = randomOf(1);
let platform: FaultPlatform;
let ground: BorrowedGround;
let book: WebhookBook;
let load: Load;

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
});
afterAll(async () => {
  await load?.rest();
  await platform?.stop();
  await book?.close();
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
  await Promise.all(serviceNames.map((service) => platform.processes.kill(service)));
  await Promise.all(serviceNames.map((service) => platform.processes.start(service)));
});

const gaps = [
  ["quote", "services/quote/src/quote-store.ts", "after", 4],
  ["payout", "services/payout/src/account-writer.ts", "after", 3],
  ["payout", "services/payout/src/payout-store.ts", "before", 2],
  ["payout", "services/payout/src/payout-work.ts", "after", 5],
] as const;

it("pays on after crashes between hold, claim, create and submit", async () => {
  for (const [service, site, side, number] of gaps) {
    const hasCrashed = await crashAt(platform.processes, { service, site, side }, number);
    expect(hasCrashed, `${side} ${site}`).toBe(true);
    if (service === "quote") await platform.processes.start("quote");
  }
  await platform.processes.start("payout");
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

it("lost nothing, paid nothing twice, told the merchant of everything", async () => {
  const judged = await judge(platform, load, book);
  expect(
    judged.flatMap(({ name, problems }) => problems.map((each) => `${name}: ${each}`)),
  ).toEqual([]);
  expect(load.unanswered()).toBe(0);
});
