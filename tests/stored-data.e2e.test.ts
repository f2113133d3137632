import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bearerIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { type Migration, migrateDatabase } from "@disburse/chassis/mongo/migrations.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import { migrations as payoutMigrations } from "@disburse/payout/migrations.ts";
import { start as startQuote } from "@disburse/quote/main.ts";
import { migrations as quoteMigrations } from "@disburse/quote/migrations.ts";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { Secrets } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { startReceiver } from "@disburse/testkit/receiver.ts";
import { loadDump, readIndexes } from "@disburse/testkit/stored-dump.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";

/**
 * What a release has stored is migrated, read and finished by the platform of today, with its own
 * keys, and this release goes on where the next one has migrated.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const fixture = join(root, "tests/fixtures/release-0.1");
const { MONGODB_URI: _uri, AMQP_URL: _url, ...inherited } = process.env;
let folder = "";
let engine: Engine;
let indexesBefore: Awaited<ReturnType<typeof readIndexes>>;
let platform: ChildProcess;
let sandbox: SandboxDocument;
let acme: Merchant;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "disburse-stored-"));
  for (const file of ["secrets.json", "sandbox.json"]) {
    copyFileSync(join(fixture, file), join(folder, file));
  }
  engine = await startEngine({ dataDir: folder, onExit: () => undefined, env: inherited });
  const uri = engine.uri("admin");
  await loadDump(join(fixture, "dump.jsonl.gz"), uri);
  indexesBefore = await readIndexes(uri);
  const settings = { PORT: "0", LOG_LEVEL: "warn", SANDBOX_SETTLE_MS: "100", MONGODB_URI: uri };
  platform = spawn(process.execPath, [join(root, "packages/standalone/src/main.ts")], {
    env: { ...inherited, DATA_DIR: folder, DISBURSE_BROKER: "none", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  platform.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  await vi.waitFor(
    () => {
      expect(platform.exitCode, output).toBe(null);
      expect(output).toMatch(/^ready http/m);
    },
    { timeout: 60_000, interval: 50 },
  );
  sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as SandboxDocument;
  acme = merchantOf(sandbox.base_url, sandbox.merchants.acme.api_key);
});

afterAll(async () => {
  await stop();
  await engine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  if (platform === undefined || platform.exitCode !== null) return;
  const exited = once(platform, "exit");
  platform.kill("SIGTERM");
  await exited;
}

type Row = Readonly<Record<string, unknown>>;

/** A list's items, each of them read by itself too. */
async function readAll(path: string, items: string, id = "id", list = path): Promise<Row[]> {
  const page = await acme.data("GET", `${list}?limit=100`);
  for (const item of page[items]) {
    expect(await acme.data("GET", `${path}/${item[id]}`)).toMatchObject({ [id]: item[id] });
  }
  return page[items];
}

async function payoutOf(reference: string): Promise<Row> {
  const { transactions } = await acme.data("GET", `${paths.payouts}?limit=100`);
  const found = transactions.find(({ reference_note }: Row) => reference_note === reference);
  return acme.data("GET", `${paths.payouts}/${found?.id}`);
}

it("adopts the release's databases: their indexes stay, beside those of later migrations", async () => {
  const indexes = await readIndexes(engine.uri("admin"));
  for (const [collection, before] of indexesBefore) {
    expect(indexes.get(collection), collection).toEqual(expect.arrayContaining([...before]));
  }
  for (const service of serviceNames) {
    expect([...indexes.keys()]).toContain(`disburse_${service}.schema_migrations`);
  }
});

it("keeps the merchants' keys, and adds nothing to the sandbox", () => {
  const before = JSON.parse(readFileSync(join(fixture, "sandbox.json"), "utf8"));
  const identities = ({ merchants, accounts }: SandboxDocument) => [
    merchants,
    accounts.map(({ account_id }) => account_id),
  ];
  expect(identities(sandbox)).toEqual(identities(before));
});

it("reads every beneficiary and depositor, sealed fields too", async () => {
  const beneficiaries = await readAll(paths.beneficiaries, "beneficiaries", "beneficiary_id");
  const counted = beneficiaries.map((each) => `${each.beneficiary_name} ${each.screening_status}`);
  expect(counted.sort()).toEqual([
    "Ada Lovelace cleared",
    "Grace Hopper cleared",
    "Jane Doe cleared",
    "Jane Doe cleared",
    "Rao Exports Private Limited cleared",
    "Zoltvar Quimbrandt blocked",
    "Zoltvar Quimbrandt review",
  ]);
  const depositors = await readAll(paths.depositor, "depositors", "id", "/api/v1/depositors");
  const own = depositors.filter(({ depositor_business_id: id }) => id !== undefined);
  expect(own.map(({ depositor_business_id: id }) => id).sort()).toEqual(["BUS-0001", "business-1"]);
});

it("seals in the background what the release stored in the clear, or under its ring", async () => {
  const sealed = async ([service, name]: readonly [string, string]) => {
    const database = `disburse_${service}`;
    const { db, close } = await connectDatabase(engine.uri(database), database);
    const text = JSON.stringify(await db.collection(name).find().toArray());
    await close();
    const isAnew = !/"k1\./.test(text) && /"~1\./.test(text);
    return isAnew && !/Lovelace|Quimbrandt|"Rao |Jane/.test(text);
  };
  const places = [
    ...(["beneficiaries", "depositors"] as const).map((name) => ["beneficiary", name] as const),
    ...(["subjects", "alerts"] as const).map((name) => ["compliance", name] as const),
    ["notifier", "endpoints"] as const,
  ];
  await vi.waitFor(
    async () => {
      for (const place of places) expect([place, await sealed(place)]).toEqual([place, true]);
    },
    { timeout: 20_000, interval: 100 },
  );
  const { beneficiaries } = await acme.data("GET", `${paths.beneficiaries}?limit=100`);
  expect(beneficiaries.map(({ beneficiary_name: name }: Row) => name)).toContain("Ada Lovelace");
});

it("reads every payout with its quote, its events and its entries in the ledger", async () => {
  const payouts = await readAll(paths.payouts, "transactions");
  expect(payouts).toHaveLength(9);
  for (const { id } of payouts) {
    const { events } = await acme.data("GET", `${paths.payouts}/${id}/events`);
    expect(events.length).toBeGreaterThan(0);
    const { quote_id } = await acme.data("GET", `${paths.payouts}/${id}`);
    expect(await acme.data("GET", `${paths.quotes}/${quote_id}`)).toMatchObject({ id: quote_id });
  }
  const account = sandbox.accounts.find(({ merchant }) => merchant === "acme")?.account_id;
  expect(await acme.data("GET", `${paths.accounts}/${account}`)).toMatchObject({
    currency_code: "USD",
  });
  const entries = await acme.data("GET", `${paths.accounts}/${account}/entries`);
  expect(entries.entries.length).toBeGreaterThan(0);
});

it("reads endpoints and their deliveries", async () => {
  const endpoints = await readAll(paths.endpoints, "endpoints");
  expect(endpoints.map(({ url }) => new URL(String(url)).pathname).sort()).toContain("/down");
  expect((await readAll(paths.deliveries, "deliveries")).length).toBeGreaterThan(0);
});

it("ends the payouts that were under way", async () => {
  const outcomes = {
    "order-open-1": "settled",
    "sandbox-fail-open-1": "rejected",
  };
  await vi.waitFor(
    async () => {
      for (const [reference, sub_status] of Object.entries(outcomes)) {
        expect(await payoutOf(reference)).toMatchObject({ sub_status });
      }
    },
    { timeout: 60_000, interval: 200 },
  );
});

it("lets two operators end what is in doubt, by an old proposal and by a new one", async () => {
  const { grpc } = sandbox;
  const trust = storedTrust();
  const connect = (id: string) =>
    connectService(PayoutOperationsService, grpc.payout, {
      ...{ identity: trust.person(id), timeoutMs: 10_000 },
    });
  const [ada, grace] = [connect("ada"), connect("grace")];
  try {
    const { payouts } = await ada.rpc.listPayoutsInDoubt({});
    expect(payouts.map((each) => each.resolutionId === "")).toContain(false);
    for (const { payout, resolutionId: known } of payouts) {
      const proposed =
        known === ""
          ? await ada.rpc.proposeResolution({
              mutation: { operationId: "propose-2" },
              payoutId: payout?.id ?? "",
              outcome: RailOutcome.SETTLED,
              transactionReference: "SBX000000000001",
              reason: "the rail's statement of the day names it",
            })
          : undefined;
      const resolutionId = proposed?.resolution?.id ?? known;
      const operationId = `confirm-${resolutionId}`;
      await grace.rpc.confirmResolution({ mutation: { operationId }, resolutionId });
    }
    await vi.waitFor(async () => {
      expect((await ada.rpc.listPayoutsInDoubt({})).payouts).toEqual([]);
    }, 10_000);
  } finally {
    ada.close();
    grace.close();
  }
  expect(await payoutOf("sandbox-unknown-1")).toMatchObject({ sub_status: "settled" });
});

/** Who has an identity by the secrets of the data folder. */
function storedTrust() {
  const stored = readFileSync(join(folder, "secrets.json"), "utf8");
  return createTrust(JSON.parse(stored) as Secrets);
}

/** The terms of a quote to an old payout's beneficiary. */
async function oldTerms(): Promise<Row> {
  const { beneficiary_id, source_currency_code, destination_currency_code } =
    await payoutOf("order-1");
  return {
    source_amount: "12.00",
    ...{ beneficiary_id, source_currency_code, destination_currency_code },
    account_id: sandbox.accounts.find(({ merchant }) => merchant === "acme")?.account_id,
  };
}

/** Quotes and executes a payout; answers its id. */
async function pay(terms: Row): Promise<string> {
  const quote = await acme.data("POST", paths.rfq, terms);
  return (await acme.data("POST", paths.execute, { quote_id: quote.id })).id;
}

/** A step as the next release may have one: a new field, and an index on it. */
const nextStep = (collection: string): Migration => ({
  name: "expand: batches",
  up: async (db) => {
    const documents = db.collection(collection);
    await documents.createIndex({ merchant_id: 1, batch: 1 }, { name: "batch" });
    await documents.updateMany({ batch: { $exists: false } }, { $set: { batch: "" } });
  },
});

it("pays while the next release migrates, and while a replica of this one starts then", async () => {
  const terms = await oldTerms();
  const quoteId = String((await payoutOf("order-1")).quote_id);
  const load = { isOver: false, paid: 0 };
  const paying = (async () => {
    for (; !load.isOver; load.paid += 1) await pay(terms);
  })();
  await vi.waitFor(() => expect(load.paid).toBeGreaterThan(0), 10_000);
  const place = (name: string) => ({ uri: engine.uri(name), name });
  const payouts = place("disburse_payout");
  const quotes = place("disburse_quote");
  await Promise.all([
    migrateDatabase(payouts, [...payoutMigrations, nextStep("payouts")], silentLog),
    migrateDatabase(quotes, [...quoteMigrations, nextStep("quotes")], silentLog),
  ]);
  const trust = storedTrust();
  const replica = await startQuote({
    ...{ DISBURSE_MODE: "sandbox", PORT: "0", LOG_LEVEL: "warn" },
    ...{ MONGODB_URI: quotes.uri, DATABASE: quotes.name, ...trust.settings("quote") },
    ...{ BENEFICIARY_URL: sandbox.grpc.beneficiary, PAYOUT_URL: sandbox.grpc.payout },
  });
  const { paid } = load;
  await vi.waitFor(() => expect(load.paid).toBeGreaterThan(paid), 10_000);
  load.isOver = true;
  await paying;
  const identity = bearerIdentity(sandbox.grpc_token);
  const { rpc, close } = connectService(QuoteService, replica.url, { identity });
  const asked = { quoteId, merchantId: sandbox.merchants.acme.merchant_id };
  expect((await rpc.getQuote(asked)).quote?.id).toBe(quoteId);
  close();
  await replica.stop();
});

it("pays an old beneficiary, and delivers what waited for old endpoints", async () => {
  const receiver = await startReceiver();
  try {
    const { endpoints } = await acme.data("GET", paths.endpoints);
    for (const endpoint of endpoints) {
      await acme.data("PATCH", `${paths.endpoints}/${endpoint.id}`, { url: receiver.url });
    }
    const id = await pay(await oldTerms());
    await receiver.waitFor(1, { filter: ({ body }) => body.includes(id) });
    await vi.waitFor(
      async () => {
        const payout = await acme.data("GET", `${paths.payouts}/${id}`);
        expect(payout).toMatchObject({ sub_status: "settled" });
      },
      { timeout: 30_000, interval: 100 },
    );
    await vi.waitFor(
      async () => {
        const pending = await acme.data("GET", `${paths.deliveries}?state=pending`);
        expect(pending.deliveries).toEqual([]);
      },
      { timeout: 60_000, interval: 200 },
    );
  } finally {
    await receiver.close();
  }
});

it("leaves every invariant whole", async () => {
  await stop();
  const check = join(root, "packages/verification/invariants/src/main.ts");
  const uri = engine.uri("admin");
  const args = [check, "--mongodb-uri", uri, "--data-dir", folder, "--settle", "0"];
  const { stdout } = spawnSync(process.execPath, args, { env: inherited, encoding: "utf8" });
  expect(stdout).toMatch(/\b0 failed\n$/);
});
