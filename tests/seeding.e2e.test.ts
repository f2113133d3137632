import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { readServiceKey, readTrustedKeys } from "@disburse/chassis/identity/keys.ts";
import {
  brokerConfig,
  brokerDefinitions,
  brokerPasswordsOf,
} from "@disburse/sandbox/broker/users.ts";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { ownSettings, sealingServices, workloads } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const jobs = join(import.meta.dirname, "../packages/sandbox/src");
let folder: string;
let platform: TestPlatform;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "disburse-seeding-"));
  platform = await startTestPlatform();
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [...args], { env });

async function seed(change: Record<string, string> = {}): Promise<SandboxDocument> {
  const urls = serviceNames.map((name) => [`${name.toUpperCase()}_URL`, platform.url(name)]);
  const settings = {
    ...Object.fromEntries(urls),
    DISBURSE_MODE: "sandbox",
    ...ownSettings(platform.secrets, "sandbox"),
    BASE_URL: platform.baseUrl,
    SANDBOX_FILE: join(folder, "sandbox.json"),
    ...change,
  };
  const path = settings.SANDBOX_FILE;
  await run([join(jobs, "main.ts")], settings);
  expect(statSync(path).mode & 0o077).toBe(0);
  return JSON.parse(readFileSync(path, "utf8")) as SandboxDocument;
}

it("names no person and has no token where persons are another provider's", async () => {
  const file = join(folder, "without-issuer.json");
  const { grpc_token, people } = await seed({ ISSUER_KEY: "", SANDBOX_FILE: file });
  expect({ grpc_token, people }).toEqual({ grpc_token: undefined, people: [] });
});

it("makes the sandbox once, however often it runs, and again where it is gone", async () => {
  const first = await seed();
  const acme = merchantOf(platform.baseUrl, first.merchants.acme.api_key);
  const { accounts } = await acme.data("GET", "/api/v1/transfer/accounts");
  expect(accounts).toHaveLength(
    first.accounts.filter(({ merchant }) => merchant === "acme").length,
  );
  expect(await seed()).toEqual(first);

  const { keys } = await platform.clients.keys.listKeys({
    merchantId: first.merchants.acme.merchant_id,
  });
  expect(keys).toHaveLength(2);
  const elsewhere = JSON.stringify(first).replaceAll(first.merchants.acme.merchant_id, "mer_gone");
  writeFileSync(join(folder, "sandbox.json"), elsewhere);
  expect((await seed()).merchants.acme.api_key).not.toBe(first.merchants.acme.api_key);
});

it("makes none in a live platform", async () => {
  const refusal = { stdout: expect.stringContaining("DISBURSE_MODE") };
  await expect(seed({ DISBURSE_MODE: "live" })).rejects.toMatchObject(refusal);
});

it("makes secrets that are settings, and keeps them", async () => {
  const path = join(folder, "sandbox.env");
  const keys = join(folder, "keys");
  const broker = join(folder, "broker");
  for (const workload of workloads) mkdirSync(join(keys, workload), { recursive: true });
  mkdirSync(broker);
  const paths = [path, ...workloads.map((workload) => join(keys, workload, "sandbox.env"))];
  const make = async () => {
    await run([join(jobs, "make-secrets.ts"), path, keys, broker]);
    return paths.map((each) => readFileSync(each, "utf8"));
  };
  // Left by a killed run.
  writeFileSync(paths[1] ?? "", "SERVICE_KEY=of-another-run\n");
  const first = await make();
  const shared = parseEnv(first[0] ?? "");
  expect(shared).not.toHaveProperty("ENCRYPTION_KEYS");
  const rings = paths.slice(1).map((each) => parseEnv(readFileSync(each, "utf8")).ENCRYPTION_KEYS);
  expect(rings.filter((ring) => ring !== undefined)).toHaveLength(sealingServices.length);
  const trusted = [...readTrustedKeys(shared.TRUSTED_KEYS ?? "").values()];
  expect(trusted.map(({ service }) => service)).toEqual(workloads);
  const own = first.slice(1).map((text) => readServiceKey(parseEnv(text).SERVICE_KEY ?? ""));
  expect(own.map(({ service }) => service)).toEqual(workloads);
  for (const each of paths) expect(statSync(each).mode & 0o077).toBe(0);
  expect(await make()).toEqual(first);

  const ownText = (workload: string) => readFileSync(join(keys, workload, "sandbox.env"), "utf8");
  const { AMQP_URL } = parseEnv(ownText("payout"));
  expect(AMQP_URL).toMatch(/^amqp:\/\/payout:[\w-]{43}@rabbitmq:5672$/);
  expect(parseEnv(ownText("quote"))).not.toHaveProperty("AMQP_URL");
  const definitions = readFileSync(join(broker, "definitions.json"), "utf8");
  const passwords = brokerPasswordsOf((service) => parseEnv(ownText(service)).AMQP_URL);
  expect(JSON.parse(definitions)).toEqual(brokerDefinitions(passwords));
  for (const password of Object.values(passwords)) expect(definitions).not.toContain(password);
  expect(readFileSync(join(broker, "disburse.conf"), "utf8")).toBe(brokerConfig);
  const authority = new X509Certificate(readFileSync(join(folder, "ca.crt")));
  const certificates = () =>
    workloads.map((name) => new X509Certificate(readFileSync(join(keys, name, "tls.crt"))));
  const created = certificates().map(({ fingerprint256 }) => fingerprint256);
  for (const each of certificates()) expect(each.verify(authority.publicKey)).toBe(true);
  await make();
  expect(certificates().map(({ fingerprint256 }) => fingerprint256)).toEqual(created);
});
