import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { backgroundCommands, rowsOf } from "@disburse/testkit/performance-page.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-commands-"));
const record = join(folder, "commands");
let platform: TestPlatform;
let acme: Payer;
let receiver: Receiver;
/** How many commands there were before the operations. */
let begun = 0;
/** So long after its last command, whatever an operation leads to is stored. */
const restMs = 1_200;
beforeAll(async () => {
  const preload = import.meta.resolve("@disburse/testkit/command-recorder.ts");
  const extras = { preload, environment: { COMMAND_RECORD: record } };
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" }, extras);
  acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  await acme.post("/api/v1/webhooks/endpoints", { url: receiver.url, description: "commands" });
  // What is read once and cached, or made with the first of a kind.
  await acme.pay("first");
  await rest();
  begun = lines().length;
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
  rmSync(folder, { recursive: true });
});

const lines = () => readFileSync(record, "utf8").split("\n").filter(Boolean);
const recorded = () => lines().map((line) => line.split("\t")[0] ?? "");

/** What operations asked of the databases, without what runs by itself. */
const ofOperations = () => recorded().filter((what) => !backgroundCommands.has(what));

/** Waits until nothing more is asked, however slow the machine is; what never stops is named. */
async function rest(): Promise<void> {
  const until = performance.now() + 60_000;
  for (let before = -1, now = ofOperations().length; before !== now; ) {
    const last = new Set(ofOperations().slice(before));
    if (performance.now() > until) {
      throw new Error(`Not listed as in the background: ${[...last].join("; ")}`);
    }
    await pause(restMs);
    [before, now] = [now, ofOperations().length];
  }
}

const attemptsMax = 3;

/** What an operation asked, counted when its consequences are stored. */
async function commandsOf(run: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const before = ofOperations().length;
  await run();
  await rest();
  const own = ofOperations().slice(before);
  return new Map([...Map.groupBy(own, (what) => what)].map(([what, of]) => [what, of.length]));
}

/** What its table says, where a bound is no more than what was counted. */
function describedOf(operation: string, counts: ReadonlyMap<string, number>) {
  return rowsOf(operation).flatMap(({ what, times, isMost }) => {
    const count = counts.get(what) ?? 0;
    if (!isMost) return [[what, times] as const];
    return count === 0 ? [] : [[what, Math.min(count, times)] as const];
  });
}

/**
 * Compares an operation's commands with its table, some times where they differ: on a machine that
 * is busy otherwise a write that goes with another one may go alone.
 */
async function expectCommands(operation: string, run: () => Promise<unknown>) {
  for (let left = attemptsMax; ; left -= 1) {
    const counts = await commandsOf(run);
    const found = Object.fromEntries(counts);
    const described = Object.fromEntries(describedOf(operation, counts));
    if (left > 1 && !isDeepStrictEqual(found, described)) continue;
    return expect(found).toEqual(described);
  }
}

const key = () => ({ "idempotency-key": crypto.randomUUID() });

it("a quote", async () => {
  const amount = { source_amount: "10.00" };
  const body = { ...amount, ...(await acme.transfer("USD", "USD")) };
  await expectCommands("A quote", () => acme.post("/api/v1/transfer/rfq", body, key()));
});

it("an execute, its settlement and its webhooks", async () => {
  const quoted = () => acme.quote("USD", "USD", { source_amount: "10.00" });
  const quotes = [await quoted(), await quoted(), await quoted()];
  await rest();
  await expectCommands("An execute, until its webhooks are received", () => {
    const body = { quote_id: quotes.pop()?.id, reference_id: "counted" };
    return acme.post("/api/v1/transfer/execute", body, key());
  });
});

it("a crypto beneficiary, until it is screened", async () => {
  const body = cryptoBody("ETHEREUM", "USDC_ETH");
  await expectCommands("A crypto beneficiary, until it is screened", () =>
    acme.post(paths.crypto, body, key()),
  );
});

it("a payout, and a page of payouts", async () => {
  const id = await acme.pay("read");
  await rest();
  await expectCommands("A payout", () => acme.get(`/api/v1/transfer/payouts/${id}`));
  await expectCommands("A page of payouts", () => acme.get("/api/v1/transfer/payouts"));
});

describe("in a sharded cluster", () => {
  const scaling = readFileSync(join(import.meta.dirname, "../docs/SCALING.md"), "utf8");
  const [, keyTable = "", exceptionTable = "", uniqueTable = ""] = scaling.split(
    /\n## Shard keys\n|\n\*\*Exceptions\*\*|\n\*\*Unique indexes\*\*|\n## The broker\n/,
  );
  const cells = (table: string) =>
    [...table.matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)].map(([, a = "", b = ""]) => [a, b] as const);
  /** The fields of each collection's shard key; none of one that stays whole. */
  const keys = new Map(
    cells(keyTable).map(([place, key]) => [
      place,
      [...key.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
    ]),
  );

  it("each command of an operation names its collection's key, or is an exception", () => {
    const exceptions = new Set(cells(exceptionTable).map(([what]) => what));
    const unkeyed = new Set<string>();
    for (const line of lines().slice(begun)) {
      const [what = "", targets = ""] = line.split("\t");
      if (backgroundCommands.has(what)) continue;
      const [place = ""] = what.split(" ");
      const key = keys.get(place);
      expect(key, `${place} is not in docs/SCALING.md`).toBeDefined();
      const named = targets.split(", ");
      if (!key?.every((field) => named.includes(field))) unkeyed.add(what);
    }
    expect(unkeyed).toEqual(exceptions);
  });

  it("each unique index begins with its collection's key, or is to be replaced", async () => {
    const conflicting: string[] = [];
    for (const [place, key] of keys) {
      const [service = "", collection = ""] = place.split(".");
      if (key.length === 0) continue;
      const { db, close } = await platform.openDatabase(service as ServiceName);
      const indexes = await db.collection(collection).indexes();
      for (const { unique, key: fields, name } of indexes) {
        const first = Object.keys(fields).slice(0, key.length);
        if (unique === true && first.join() !== key.join()) conflicting.push(`${place} ${name}`);
      }
      await close();
    }
    const listed = cells(uniqueTable).map(
      ([place, name]) => `${place} ${name.replaceAll("`", "")}`,
    );
    expect(conflicting.sort()).toEqual(listed.sort());
  });
});
