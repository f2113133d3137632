import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Payer, payerOf } from "./payer.ts";

/**
 * Bounds the files that an engineer reads to understand a payout. Tests, verification and generated
 * files don't count. On a slow machine every loop runs during every payout, which adds up to 25
 * files. Lower the bound when files go.
 */
const filesMost = 270;

/** Called by each payout. If one is missing, the recorder doesn't see all services. */
const everyPayout = [
  "services/gateway/src/http/run-once.ts",
  "services/quote/src/quotes/store.ts",
  "packages/ledger/src/writer.ts",
  "services/notifier/src/deliveries/insert.ts",
];

const root = join(import.meta.dirname, "..");
const ours = /^(packages|services)\/[\w-]+\/src\//;
const notSource = /\.test\.ts$|\/test-[\w-]+\.ts$|\/gen\//;
/** Counts only files that every one of these payouts calls, which excludes most loops. */
const payouts = 12;

const folder = mkdtempSync(join(tmpdir(), "disburse-calls-"));
const socketPath = join(folder, "socket");
let platform: TestPlatform;
let acme: Payer;
let receiver: Receiver;
beforeAll(async () => {
  const preload = import.meta.resolve("@disburse/testkit/call-recorder.ts");
  const extras = { preload, environment: { CALL_RECORDER: socketPath } };
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" }, extras);
  acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  await acme.post("/api/v1/webhooks/endpoints", { url: receiver.url, description: "calls" });
  const id = await acme.pay("first");
  await receiver.waitFor(1, { filter: (call) => isSettled(call, id) });
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
  rmSync(folder, { recursive: true });
});

async function recorder(path: "/start" | "/take"): Promise<readonly string[]> {
  const outgoing = request({ socketPath, path }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return (await json(response)) as readonly string[];
}

function isSettled({ body }: { readonly body: Buffer }, id: string): boolean {
  const { transaction_id, data } = JSON.parse(body.toString());
  return transaction_id === id && data.status === "succeeded";
}

/** Returns the source files with a function called between execute and webhook. */
async function calledByPayout(): Promise<ReadonlySet<string>> {
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
  await recorder("/start");
  const key = { "idempotency-key": crypto.randomUUID() };
  const order = { quote_id, reference_id: "calls" };
  const { json } = await acme.post("/api/v1/transfer/execute", order, key);
  const { id } = json.data as { id: string };
  await receiver.waitFor(1, { filter: (call) => isSettled(call, id) });
  const urls = (await recorder("/take")).filter((url) => url.startsWith("file:"));
  const files = urls.map((url) => relative(root, fileURLToPath(url)));
  return new Set(files.filter((file) => ours.test(file) && !notSource.test(file)));
}

it("a payout calls functions of few source files", async () => {
  let files = await calledByPayout();
  for (let created = 1; created < payouts; created += 1)
    files = files.intersection(await calledByPayout());
  const list = [...files].sort();
  process.stdout.write(`a payout calls functions of ${list.length} source files\n`);
  for (const file of everyPayout) expect(list).toContain(file);
  expect(list.length, `${list.length} files:\n${list.join("\n")}`).toBeLessThanOrEqual(filesMost);
});
