import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Database, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { reportOn } from "@disburse/invariants/evidence/report.ts";
import { readPublicKeys } from "@disburse/invariants/evidence/statements.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { payerOf } from "./payer.ts";

/** Checks the evidence on a running platform, then each way of tampering with it. */

type Id = string | number;
type Stored = { _id: Id; [field: string]: unknown };

const folder = mkdtempSync(join(tmpdir(), "disburse-evidence-"));
const sink = join(folder, "sink");
const keysFile = join(folder, "keys.json");
let platform: TestPlatform;
let database: Database;
let quoteDatabase: Database;
let isStopped = false;
const stopPlatform = async () => {
  if (!isStopped) await platform?.stop();
  isStopped = true;
};
const collection = (name: string) => database.db.collection<Stored>(name);
type Collection = ReturnType<typeof collection>;

beforeAll(async () => {
  platform = await startTestPlatform({
    ...{ SANDBOX_SETTLE_MS: "100", AUDIT_HEADS_SECONDS: "1" },
    AUDIT_SINK: pathToFileURL(sink).href,
  });
  writeFileSync(keysFile, platform.secrets.trustedKeys);
  database = await platform.openDatabase("payout");
  quoteDatabase = await platform.openDatabase("quote");
});
afterAll(async () => {
  await database?.close();
  await quoteDatabase?.close();
  await stopPlatform();
  rmSync(folder, { recursive: true });
});

const prefix = () => platform.database("payout").replace(/payout$/, "");

const readLines = () =>
  readdirSync(sink).flatMap((name) =>
    readFileSync(join(sink, name), "utf8").split("\n").filter(Boolean),
  );

async function verify(readSink: () => readonly string[] = readLines) {
  return reportOn({
    databases: { client: database.db.client, prefix: prefix() },
    readSink: async () => ({ lines: readSink(), flaws: [] }),
    keys: readPublicKeys(readFileSync(keysFile, "utf8")),
  });
}

function withoutLast(service: string): string[] {
  const statements = readLines().map((text) => ({
    text,
    statement: JSON.parse(JSON.parse(text).statement) as { service: string; number: number },
  }));
  const own = statements.filter(({ statement }) => statement.service === service);
  const last = Math.max(...own.map(({ statement }) => statement.number));
  return statements
    .filter(({ statement }) => statement.service !== service || statement.number !== last)
    .map(({ text }) => text);
}

function runCommand(): Promise<{ code: number; text: string }> {
  const script = join(
    import.meta.dirname,
    "../packages/verification/invariants/src/evidence/main.ts",
  );
  const args = ["--sink", sink, "--keys", keysFile, "--mongodb-uri", mongodbUri("admin")];
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args, "--prefix", prefix()], (error, out, problem) => {
      resolve({ code: error === null ? 0 : Number(error.code), text: out + problem });
    });
  });
}

async function exported(service: (typeof serviceNames)[number], limit = 50) {
  const identity = platform.trust.person("una", ["auditor"]);
  const { rpc, close } = connectService(AuditService, platform.url(service), { identity });
  const entries: Record<string, unknown>[] = [];
  let after = 0n;
  for (;;) {
    const page = await rpc.exportAuditEntries({ after, limit });
    const lines = page.jsonLines.split("\n").filter(Boolean);
    if (lines.length === 0) break;
    entries.push(...lines.map((line) => JSON.parse(line)));
    after = page.lastSequence;
  }
  close();
  return entries;
}

describe("the audit trail", () => {
  it("of every service has what the operators' job and persons did, and can be read on", async () => {
    const { merchant_id: merchantId } = platform.sandbox.merchants.acme;
    const mutation = { operationId: "evidence-account" };
    const opening = { mutation, merchantId, currencyCode: "USD" };
    const { account } = await platform.clients.payout.openAccount(opening);
    await platform.clients.payout.openAccount(opening);
    const expected = {
      beneficiary: "SetMerchantPermissions",
      compliance: "ImportList",
      gateway: "CreateKey",
      payout: "OpenAccount",
      quote: "SetCorridor",
    };
    for (const [service, action] of Object.entries(expected)) {
      const entries = await exported(service as "payout");
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_each, at) => at + 1));
      expect(entries.map((each) => each.action)).toContain(action);
      expect(JSON.stringify(entries)).not.toContain("dsb_test_");
    }
    const own = (await exported("payout", 7)).filter(({ subject }) => subject === account?.id);
    expect(own).toMatchObject([
      {
        ...{ service: "payout", person: "verification", caller: "person", action: "OpenAccount" },
        ...{ merchant_id: merchantId, operation: "evidence-account", outcome: "done" },
      },
    ]);
  });

  it("has no entry of what a merchant did", async () => {
    const counts = async () => {
      const all = await Promise.all(serviceNames.map((name) => exported(name)));
      return all.map(({ length }) => length);
    };
    const before = await counts();
    await payerOf(platform, "acme").pay("evidence");
    expect(await counts()).toEqual(before);
  });
});

it("each stored collection is in the threat model's list, with what protects it", async () => {
  const page = readFileSync(
    join(import.meta.dirname, "../docs/explanation/threat-model.md"),
    "utf8",
  );
  const [, list = ""] = page.split("\n## Stored facts\n");
  const [table = ""] = list.split("\n## ");
  const listed = new Set([...table.matchAll(/`([a-z*]+\.[a-z_]+)`/g)].map(([, name]) => name));
  const missing: string[] = [];
  for (const service of serviceNames) {
    const { db, close } = await platform.openDatabase(service);
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(
      ({ name }) => name,
    );
    await close();
    const isListed = (name: string) => listed.has(`${service}.${name}`) || listed.has(`*.${name}`);
    missing.push(...names.filter((name) => !isListed(name)).map((name) => `${service}.${name}`));
  }
  expect(missing).toEqual([]);
});

it("nothing is found while payouts are on their way", async () => {
  const acme = payerOf(platform, "acme");
  let isPaying = true;
  const paying = Promise.all([1, 2, 3, 4, 5].map((each) => acme.pay(`moving ${each}`))).finally(
    () => {
      isPaying = false;
    },
  );
  do expect((await verify()).lines.join("\n")).toMatch(/^verified/m);
  while (isPaying);
  await paying;
  expect((await verify()).lines.join("\n")).toMatch(/^verified/m);
});

describe("tampering", () => {
  const trail = () => collection("audit_entries");
  const ledger = () => collection("ledger_entries");
  const accounts = () => collection("accounts");
  /** An account with several entries. */
  let accountId: Id = "";

  const only = async (of: Collection, filter: object): Promise<Stored> => {
    const found = await of.findOne(filter);
    if (found === null) throw new Error(`nothing to tamper with: ${JSON.stringify(filter)}`);
    return found;
  };
  const line = (sequence: number) => only(ledger(), { account_id: accountId, sequence });
  const entry = (_id: number) => only(trail(), { _id });
  const lastEntry = async () => (await trail().find().sort({ _id: -1 }).limit(1).toArray())[0]?._id;

  type Undo = () => Promise<unknown>;
  const change = async (of: Collection, before: Stored, set: Partial<Stored>): Promise<Undo> => {
    await of.updateOne({ _id: before._id }, { $set: set });
    return () => of.replaceOne({ _id: before._id }, before);
  };
  const remove = async (of: Collection, before: Stored): Promise<Undo> => {
    await of.deleteOne({ _id: before._id });
    return () => of.insertOne(before);
  };
  const swap = async (
    of: Collection,
    [one, other]: readonly [Stored, Stored],
    field: string,
  ): Promise<Undo> => {
    const ids = { _id: { $in: [one._id, other._id] } };
    await of.deleteMany(ids);
    await of.insertMany([
      { ...one, [field]: other[field] },
      { ...other, [field]: one[field] },
    ]);
    return async () => {
      await of.deleteMany(ids);
      await of.insertMany([one, other]);
    };
  };

  beforeAll(async () => {
    const acme = payerOf(platform, "acme");
    // The last payout's money stays held.
    for (const reference of ["one", "two", "sandbox-silent"]) await acme.pay(reference);
    await vi.waitFor(
      async () => {
        expect(await accounts().countDocuments({ dirty: true })).toBe(0);
        expect(await accounts().countDocuments({ head_due: true })).toBe(0);
        expect(await verify()).toMatchObject({ unprotected: 0 });
      },
      { timeout: 30_000, interval: 250 },
    );
    const [busiest] = await accounts().find().sort({ sequence: -1 }).limit(1).toArray();
    accountId = busiest?._id ?? "";
    expect(busiest?.sequence).toBeGreaterThan(4);
    // Stopped, so that tampered data isn't shipped. It is restored here.
    await stopPlatform();
  }, 60_000);

  it("was not done", async () => {
    expect((await verify()).lines.at(-1)).toBe(
      "verified: nothing that a signed head covers was changed or removed",
    );
    const { code, text } = await runCommand();
    expect(text).toMatch(/verified: nothing that a signed head covers was changed or removed\n$/);
    expect(code).toBe(0);
  });

  const payouts = () => collection("payouts");
  const orderOf = (payout: Stored) => payout.order as Stored;
  const quotes = () => quoteDatabase.db.collection<Stored>("quotes");
  /** Returns a settled payout. `claimed` returns its quote. */
  const settled = () => only(payouts(), { "progress.stage": "settled" });
  const claimed = async () => only(quotes(), { _id: String(orderOf(await settled()).quote_id) });

  const tamperings: [how: string, findings: RegExp, tamper: () => Promise<Undo>][] = [
    [
      "an audit entry's person is another",
      /^CHANGED {2}payout: audit entry 2: its hash/m,
      async () => change(trail(), await entry(2), { person: "eve" }),
    ],
    [
      "an audit entry's merchant is another",
      /^CHANGED {2}payout: audit entry 3: its hash/m,
      async () => change(trail(), await entry(3), { "call.merchant_id": "mer_x" }),
    ],
    [
      "an audit entry is missing",
      /^MISSING {2}payout: audit entry 2: entry 2 is not there/m,
      async () => remove(trail(), await entry(2)),
    ],
    [
      "the last audit entry is cut off",
      /^CUT {2}payout: audit entry \d+: entry \d+ is not there; \d+ was shipped at/m,
      async () => remove(trail(), await entry(Number(await lastEntry()))),
    ],
    [
      "two audit entries changed places",
      /^REORDERED {2}payout: audit entry 2: is entry 3/m,
      async () => swap(trail(), [await entry(2), await entry(3)], "_id"),
    ],
    [
      "a ledger entry's actor is another",
      /^CHANGED {2}payout: entry 1 of acc_\w+: its hash/m,
      async () => change(ledger(), await line(1), { "actor.id": "eve" }),
    ],
    [
      "a ledger entry's merchant is another",
      /^CHANGED {2}payout: entry 2 of acc_\w+: its hash/m,
      async () => change(ledger(), await line(2), { merchant_id: "mer_x" }),
    ],
    [
      "a ledger entry is missing",
      /^MISSING {2}payout: entry 2 of acc_\w+: entry 2 is not there/m,
      async () => remove(ledger(), await line(2)),
    ],
    [
      "two ledger entries changed places",
      /^REORDERED {2}payout: entry 2 of acc_\w+: is entry 3/m,
      async () => swap(ledger(), [await line(2), await line(3)], "sequence"),
    ],
    [
      "a ledger is cut at its end, and its account says so",
      /^CUT {2}payout: entry \d+ of acc_\w+: entry \d+ is not there; \d+ was shipped at/m,
      async () => {
        const account = await only(accounts(), { _id: accountId });
        const sequence = Number(account.sequence) - 1;
        const undoLine = await remove(ledger(), await line(sequence + 1));
        const { hash } = await line(sequence);
        const undo = await change(accounts(), account, { sequence, head_hash: hash });
        return async () => [await undoLine(), await undo()];
      },
    ],
    [
      "an account's balance is another",
      /^CHANGED {2}payout: acc_\w+: its balances differ from those of its last entry/m,
      async () => {
        const available = toDecimal128(99_999_999_999n);
        return change(accounts(), await only(accounts(), { _id: accountId }), { available });
      },
    ],
    [
      "an account's held money is another",
      /^CHANGED {2}payout: acc_\w+: its balances differ from those of its last entry/m,
      async () => {
        const held = toDecimal128(1n);
        return change(accounts(), await only(accounts(), { _id: accountId }), { held });
      },
    ],
    [
      "an account's sums are others",
      /^CHANGED {2}payout: acc_\w+: its platform:fees\/\w+ is not the sum of its entries'/m,
      async () => {
        const account = await only(accounts(), { _id: accountId });
        const sums = Object.entries(account.platform as Record<string, string>);
        const changed = Object.fromEntries(
          sums.map(([name, sum]) => [name, name.startsWith("platform:fees") ? "0.01" : sum]),
        );
        return change(accounts(), account, { platform: changed });
      },
    ],
    [
      "an account leaves its last entry out",
      /^CHANGED {2}payout: acc_\w+: says that it ends with entry \d+; its ledger has \d+/m,
      async () => {
        const account = await only(accounts(), { _id: accountId });
        const before = await line(Number(account.sequence) - 1);
        const { sequence, hash: head_hash, available, held } = before;
        return change(accounts(), account, { sequence, head_hash, available, held });
      },
    ],
    [
      "a payout that ended is queued again",
      /^CHANGED {2}payout: po_\w+: is queued, but its ledger has hold post/m,
      async () => change(payouts(), await settled(), { progress: { stage: "queued" } }),
    ],
    [
      "a payout is missing",
      /^CHANGED {2}payout: po_\w+:post: a post without a payout/m,
      async () => remove(payouts(), await settled()),
    ],
    [
      "a payout is missing whose money is held",
      /^CHANGED {2}payout: po_\w+:hold: money is held, but its payout does not exist/m,
      async () => remove(payouts(), await only(payouts(), { status: "initiated" })),
    ],
    [
      "a payout whose money is held is said to have failed",
      /^CHANGED {2}payout: po_\w+: is rejected, but its ledger has hold/m,
      async () => {
        const held = await only(payouts(), { status: "initiated" });
        return change(payouts(), held, { progress: { stage: "rejected" } });
      },
    ],
    [
      "a payout's beneficiary has another name",
      /^CHANGED {2}payout: po_\w+: its hash is not the hash of its fields/m,
      async () => change(payouts(), await settled(), { beneficiary_name: "Eve" }),
    ],
    [
      "a payout's actor is another",
      /^CHANGED {2}payout: po_\w+: its hash is not the hash of its fields/m,
      async () => change(payouts(), await settled(), { "order.actor.id": "eve" }),
    ],
    [
      "a payout's amount is another",
      /^CHANGED {2}payout: po_\w+: its receiving amount differs from its quote's/m,
      async () => {
        const receiving_minor = toDecimal128(1n);
        return change(payouts(), await settled(), { receiving_minor });
      },
    ],
    [
      "a payout has no hash",
      /^CHANGED {2}payout: po_\w+: has no hash/m,
      async () => {
        const payout = await settled();
        await payouts().updateOne({ _id: payout._id }, { $unset: { content_hash: "" } });
        return () => payouts().replaceOne({ _id: payout._id }, payout);
      },
    ],
    [
      "a quote's rate is another",
      /^CHANGED {2}quote: qt_\w+: its hash is not the hash of its fields/m,
      async () => change(quotes(), await claimed(), { rate: "9" }),
    ],
    [
      "a quote's beneficiary is another",
      /^CHANGED {2}quote: qt_\w+: its hash is not the hash of its fields/m,
      async () => change(quotes(), await claimed(), { "beneficiary.id": "ben_eve" }),
    ],
    [
      "a quote's claim is another",
      /^CHANGED {2}payout: po_\w+: its operation is not bound to its quote/m,
      async () => change(quotes(), await claimed(), { "claim.operation_id": "eve" }),
    ],
    [
      "a quote is missing",
      /^CHANGED {2}payout: po_\w+: has no quote/m,
      async () => remove(quotes(), await claimed()),
    ],
    [
      "a payout is there whose money was never held",
      /^CHANGED {2}payout: po_\w+forged: its money was never held/m,
      async () => {
        const payout = await settled();
        const _id = `${payout._id}forged`;
        await payouts().insertOne({ ...payout, _id, operations: [{ id: "forged", content: "" }] });
        return () => payouts().deleteOne({ _id });
      },
    ],
  ];

  it.each(tamperings)("is found where %s", async (_how, findings, tamper) => {
    const undo = await tamper();
    const { lines } = await verify().finally(undo);
    expect(lines.join("\n")).toMatch(findings);
    expect(lines.at(-1)).toMatch(/^\d flaws$/);
  });

  // The notifier has no privileged call in this test, so it has shipped nothing.
  const shipping = serviceNames.filter((name) => name !== "notifier");
  it.each(shipping)("is found where the last line of %s is cut from the sink", async (service) => {
    const { lines } = await verify(() => withoutLast(service));
    const message = new RegExp(
      `^CUT  ${service}: statement \\d+: is not there; the database says that it was shipped at`,
      "m",
    );
    expect(lines.join("\n")).toMatch(message);
  });

  it("is found where a service's database does not know what it shipped", async () => {
    const tails = collection("audit_shipping");
    const undo = await remove(tails, await only(tails, { _id: "heads" }));
    const { lines } = await verify().finally(undo);
    expect(lines.join("\n")).toMatch(
      /^CUT {2}payout: statement \d+: was shipped at \S+; the database says that 0 was the last one/m,
    );
  });

  it("fails the command", async () => {
    const undo = await change(trail(), await entry(2), { person: "eve" });
    const { code, text } = await runCommand().finally(undo);
    expect(text).toContain(
      "CHANGED  payout: audit entry 2: its hash is not the hash of its fields",
    );
    expect(code).toBe(1);
  });

  it("was undone", async () => {
    expect((await verify()).lines.at(-1)).toBe(
      "verified: nothing that a signed head covers was changed or removed",
    );
  });
});
