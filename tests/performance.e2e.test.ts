import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

/** What docs/PERFORMANCE.md says that an operation reads and writes, when it is alone. */
type Row = { readonly what: string; readonly times: number; readonly isMost: boolean };

const page = readFileSync(join(import.meta.dirname, "../docs/PERFORMANCE.md"), "utf8");

/** The rows of an operation's table: `| payout.payouts | insert | 1 | why | index |`. */
function rowsOf(operation: string): Row[] {
  const [, table = ""] = page.split(`\n### ${operation}\n`);
  const [of = ""] = table.split("\n#");
  return [...of.matchAll(/^\| `([\w.]+)` \| ([^|]*?) \| (≤ )?(\d+) \|/gm)].map(
    ([, place, how = "", isMost, times]) => ({
      ...{ what: `${place} ${how.trim()}`, times: Number(times), isMost: isMost !== undefined },
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), "disburse-commands-"));
const record = join(folder, "commands");
let platform: TestPlatform;
let acme: Payer;
let receiver: Receiver;
/** By itself, whether anything is asked or not. */
const background = new Set(rowsOf("In the background").map(({ what }) => what));
/** After it, whatever an operation leads to is stored. */
const restMs = 2_000;
beforeAll(async () => {
  const preload = import.meta.resolve("@disburse/testkit/command-recorder.ts");
  const extras = { preload, environment: { COMMAND_RECORD: record } };
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" }, extras);
  acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  await acme.post("/api/v1/webhooks/endpoints", { url: receiver.url, description: "commands" });
  // What is read once and cached, or made with the first of a kind.
  await acme.pay("first");
  await pause(restMs);
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
  rmSync(folder, { recursive: true });
});

const recorded = () => readFileSync(record, "utf8").split("\n").filter(Boolean);

/** What services asked of their databases while something was done, and until that came to rest. */
async function during(work: () => Promise<unknown>): Promise<string[]> {
  const before = recorded().length;
  await work();
  return recorded().slice(before);
}

/** Runs an operation, once its answers and its consequences are stored. */
async function expectCommands(operation: string, run: () => Promise<unknown>) {
  const all = await during(async () => {
    await run();
    await pause(restMs);
  });
  const rows = rowsOf(operation);
  const own = all.filter((what) => !background.has(what));
  const counts = new Map(
    [...Map.groupBy(own, (what) => what)].map(([what, of]) => [what, of.length]),
  );
  const described = rows.flatMap(({ what, times, isMost }) => {
    const count = counts.get(what) ?? 0;
    if (!isMost) return [[what, times] as const];
    return count === 0 ? [] : [[what, Math.min(count, times)] as const];
  });
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(described));
}

const key = () => ({ "idempotency-key": crypto.randomUUID() });

it("a quote", async () => {
  const amount = { source_amount: "10.00" };
  const body = { ...amount, ...(await acme.transfer("USD", "USD")) };
  await expectCommands("A quote", () => acme.post("/api/v1/transfer/rfq", body, key()));
});

it("an execute, its settlement and its webhooks", async () => {
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
  const body = { quote_id, reference_id: "counted" };
  await expectCommands("An execute, until its webhooks are received", () =>
    acme.post("/api/v1/transfer/execute", body, key()),
  );
});

it("a crypto beneficiary, until it is screened", async () => {
  const body = cryptoBody("ETHEREUM", "USDC_ETH");
  await expectCommands("A crypto beneficiary, until it is screened", () =>
    acme.post(paths.crypto, body, key()),
  );
});

it("a payout, and a page of payouts", async () => {
  const id = await acme.pay("read");
  await pause(restMs);
  await expectCommands("A payout", () => acme.get(`/api/v1/transfer/payouts/${id}`));
  await expectCommands("A page of payouts", () => acme.get("/api/v1/transfer/payouts"));
});
