import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { type Bounded, expectCountsOfTries } from "@disburse/testkit/operation-counts.ts";
import { backgroundCommands, rowsOf } from "@disburse/testkit/performance-page.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-commands-"));
const record = join(folder, "commands");
let engine: Engine;
let platform: TestPlatform;
let acme: Payer;
let receiver: Receiver;
/** The number of commands before the measured operations. */
let begun = 0;
/** This long after its last command, all effects of an operation are stored. */
const restMs = 1_200;
beforeAll(async () => {
  const preload = import.meta.resolve("@disburse/testkit/command-recorder.ts");
  const extras = { preload, environment: { COMMAND_RECORD: record } };
  // Uses a separate engine, so that its journal contains nothing else.
  const onExit = (how: string) => process.stderr.write(`\nThe engine has ended: ${how}.\n`);
  engine = await startEngine({ dataDir: folder, onExit });
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" }, extras, engine.uri);
  acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  await acme.post("/api/v1/webhooks/endpoints", { url: receiver.url, description: "commands" });
  // Fills caches and creates records that the first payout of a kind needs.
  await acme.pay("first");
  await rest();
  begun = lines().length;
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
  await engine?.stop();
  rmSync(folder, { recursive: true });
});

const lines = () => readFileSync(record, "utf8").split("\n").filter(Boolean);
/** Returns the operations' database commands, without background work. */
function askedByOperations() {
  return lines().flatMap((line) => {
    const [what = "", , command = "", bytes = ""] = line.split("\t");
    return backgroundCommands.has(what) ? [] : [{ what, command, bytes: Number(bytes) }];
  });
}
const ofOperations = () => askedByOperations().map(({ what }) => what);

/** Returns the number of calls by RPC, from the service that served it. */
async function callsServed(): Promise<ReadonlyMap<string, number>> {
  const calls = new Map<string, number>();
  for (const service of serviceNames) {
    const text = await (await fetch(`${platform.adminUrl(service)}/metrics`)).text();
    for (const [, rpc = "", count] of text.matchAll(servedCall)) {
      const name = `${service}.${rpc}`;
      calls.set(name, (calls.get(name) ?? 0) + Number(count));
    }
  }
  return calls;
}
const servedCall = /^disburse_rpc_duration_seconds_count\{[^}]*rpc="(\w+)"[^}]*\} (\d+)$/gm;
/** The notifier compares published events in the background. */
const backgroundCalls: readonly string[] = ["payout.ListPublishedEvents"];

/** Waits until there are no more commands, on any machine. Names the ones that never stop. */
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

/** Counts an operation's commands and calls once its effects are stored. */
async function measured(run: () => Promise<unknown>) {
  const before = askedByOperations().length;
  const callsBefore = await callsServed();
  await run();
  await rest();
  const own = askedByOperations().slice(before);
  const calls = [...(await callsServed())].flatMap(([name, count]) => {
    const times = count - (callsBefore.get(name) ?? 0);
    return times === 0 || backgroundCalls.includes(name) ? [] : [{ name, times }];
  });
  const kinds = new Map(
    [...Map.groupBy(own, ({ what }) => what)].map(([what, of]) => [what, of.length]),
  );
  const counts = {
    documents: own.filter(({ what }) => !/ read by /.test(what)).length,
    commands: new Set(own.map(({ command }) => command)).size,
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    hops: calls.reduce((sum, { times }) => sum + times, 0),
  };
  return { kinds, counts, calls };
}

/** On a real engine, these counts depend on concurrency. */
const shared = "writes may share a command, and an account's changes an update";
const bounded: Bounded = { commands: shared, bytes: shared };
/** Account movements or delivery results may share an update. */
const boundedExecute: Bounded = { ...bounded, documents: shared };
/** After this time, a process reloads corridors, rates and keys. */
const coldMs = 6_000;

function pageProblems(operation: string, counts: ReadonlyMap<string, number>): string[] {
  const rows = new Map(rowsOf(operation).map((row) => [row.what, row]));
  return [...new Set([...rows.keys(), ...counts.keys()])].flatMap((what) => {
    const count = counts.get(what) ?? 0;
    const { times, isMost } = rows.get(what) ?? { times: 0, isMost: false };
    const isRight = isMost ? count <= times : count === times;
    return isRight
      ? []
      : [`${what}: ${count} times, and ${times} in docs/explanation/performance.md`];
  });
}

/**
 * Compares an operation's commands with its table and counts. Repeats if they differ: on a busy
 * machine, writes that usually share a command may be sent separately.
 */
async function expectCommands(
  operation: string,
  run: () => Promise<unknown>,
  bounds: Bounded = bounded,
) {
  await expectCountsOfTries(async () => {
    await pause(coldMs);
    const { kinds, counts, calls } = await measured(run);
    const counted = { section: "platform, one client", operation, found: counts, bounded: bounds };
    const detail = { kinds: Object.fromEntries(kinds), calls };
    return { counted, problems: pageProblems(operation, kinds), detail };
  });
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
  const execute = () => {
    const body = { quote_id: quotes.pop()?.id, reference_id: "counted" };
    return acme.post("/api/v1/transfer/execute", body, key());
  };
  await expectCommands("An execute, until its webhooks are received", execute, boundedExecute);
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
  const firstPage = () => acme.get("/api/v1/transfer/payouts?limit=2");
  await expectCommands("A page of payouts", firstPage);
});

describe("journal", () => {
  beforeEach((context) => {
    context.skip(engine.kind === "external", "others write to the same journal");
  });
  /** Returns the number of bytes that the engine has written to its journal. */
  const journalBytes = async (): Promise<number> => {
    const { db, close } = await platform.openDatabase("payout");
    const { wiredTiger } = await db.admin().command({ serverStatus: 1 });
    await close();
    return Number(wiredTiger?.log?.["log bytes written"]);
  };
  /** Enough to make the idle platform's writes, 0.3 kB a second, negligible. */
  const times = 10;
  const reason = "a record is padded to 128 bytes, and what shares a flush shares its padding";
  const bounded = { journal_bytes: reason };

  async function expectJournal(operation: string, run: () => Promise<unknown>) {
    await expectCountsOfTries(async () => {
      await rest();
      const before = await journalBytes();
      for (let done = 0; done < times; done += 1) await run();
      await rest();
      const written = (await journalBytes()) - before;
      const found = { journal_bytes: Math.round(written / times) };
      return { counted: { section: "platform, journal", operation, found, bounded } };
    });
  }

  it("of a lifecycle: quote, execute, settlement, webhooks", async () => {
    await expectJournal("lifecycle", () => acme.pay("journal"));
  });

  it("of a crypto beneficiary", async () => {
    const body = cryptoBody("ETHEREUM", "USDC_ETH");
    await expectJournal("crypto beneficiary", async () => {
      expect((await acme.post(paths.crypto, body, key())).status).toBe(200);
    });
  });
});

describe("in a sharded cluster", () => {
  const scaling = readFileSync(join(import.meta.dirname, "../docs/explanation/scaling.md"), "utf8");
  const [, keyTable = "", exceptionTable = "", uniqueTable = ""] = scaling.split(
    /\n## Shard keys\n|\n\*\*Exceptions\*\*|\n\*\*Unique indexes\*\*|\n## The broker\n/,
  );
  const cells = (table: string) =>
    [...table.matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)].map(([, a = "", b = ""]) => [a, b] as const);
  /** Fields of each collection's shard key, empty for an unsharded one. */
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
      expect(key, `${place} is not in docs/explanation/scaling.md`).toBeDefined();
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
