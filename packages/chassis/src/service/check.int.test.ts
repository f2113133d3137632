import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { freePort } from "@disburse/testkit/ports.ts";
import { startS3 } from "@disburse/testkit/s3.ts";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { startTestBroker } from "../amqp/test-broker.ts";
import { generateServiceKey, trustedKeysText } from "../identity/keys.ts";
import { createIndexes, type Migration } from "../mongo/migrations.ts";
import { type Environment, readSettings, serviceUrlSetting } from "../settings.ts";
import type { Finding } from "./finding.ts";
import { commonSettings, databaseSetting } from "./settings.ts";
import { serviceStart } from "./start.ts";

const settings = {
  ...commonSettings,
  DATABASE: databaseSetting("test"),
  PAYOUT_URL: serviceUrlSetting.optional(),
};
const migrations: readonly Migration[] = [
  { name: "one", up: (db) => createIndexes(db, { things: [{ key: { a: 1 }, name: "a" }] }) },
];
let servers: readonly { rail: string; host: string; port: number }[] = [];
const start = serviceStart(
  "test",
  (environment) => readSettings(environment, settings),
  migrations,
  ({ serve }) => serve({ services: [], routes: () => undefined }),
  () => servers,
);
const { privateText, publicJwk } = generateServiceKey("test");
const name = freshDatabase("check");
const environment: Environment = {
  ...{ DISBURSE_MODE: "sandbox", PORT: "0", LOG_LEVEL: "silent", DATABASE: name },
  ...{ SERVICE_KEY: privateText, TRUSTED_KEYS: trustedKeysText([publicJwk]) },
  MONGODB_URI: mongodbUri(name),
};
const closed = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300";

const ends: (() => unknown)[] = [];
beforeAll(() => start.migrate(environment));
afterEach(async () => {
  servers = [];
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
});

const failed = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === "failed").map(({ part, text }) => `${part}: ${text}`);
const partsOf = (findings: readonly Finding[], part: string) =>
  findings.filter((each) => each.part === part);

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

it("finds nothing wrong with a service that can start", async () => {
  const findings = await start.check(environment);
  expect(failed(findings)).toEqual([]);
  expect(partsOf(findings, "database")[0]?.text).toMatch(/^MongoDB \d/);
  expect(partsOf(findings, "clock")).toHaveLength(1);
});

it("reports every defect at once, and shows no secret", async () => {
  const port = await freePort();
  const findings = await start.check({
    ...environment,
    PORT: "none",
    LOG_LEVEL: "loud",
    MONGODB_URI: closed,
    PAYOUT_URL: `http://127.0.0.1:${port}`,
    OIDC_ISSUER: "https://login.example.com",
    OIDC_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
    TLS_CERT_FILE: "/nowhere/tls.crt",
    TLS_KEY_FILE: "/nowhere/tls.key",
    TLS_CA_FILE: "/nowhere/ca.crt",
  });
  const found = failed(findings);
  const parts = ["settings", "settings", "certificates", "database", "persons", "peer payout"];
  expect(found.map((each) => each.split(": ")[0]).sort()).toEqual(parts.toSorted());
  expect(found.join("\n")).toContain("PORT");
  expect(found.join("\n")).toContain("LOG_LEVEL");
  expect(JSON.stringify(findings)).not.toContain(JSON.parse(privateText).d);
});

it("reports an unsafe backend of live mode beside other settings", async () => {
  const live = { DISBURSE_MODE: "live", PORT: "none", MONGODB_URI: closed };
  const found = failed(await start.check({ ...environment, ...live })).join("\n");
  expect(found).toContain("settings: PORT");
  expect(found).toContain("settings: MONGODB_URI: must have tls=true in live mode");
});

it("reports in live mode what the start refuses", async () => {
  const live = { DISBURSE_MODE: "live", PAYOUT_URL: `http://127.0.0.1:${await freePort()}` };
  const found = failed(await start.check({ ...environment, ...live })).join("\n");
  expect(found).toContain("settings: PAYOUT_URL: must be an https:// address in live mode");
  expect(found).toContain("settings: AUDIT_SINK: is required in live mode");
});

it("reports a key of another service", async () => {
  const { privateText } = generateServiceKey("other");
  expect(failed(await start.check({ ...environment, SERVICE_KEY: privateText }))).toEqual([
    "settings: SERVICE_KEY: belongs to the service other, not to test",
  ]);
});

it("reports a database that lacks migrations", async () => {
  const other = freshDatabase("check");
  const uri = mongodbUri(other);
  const findings = await start.check({ ...environment, DATABASE: other, MONGODB_URI: uri });
  expect(failed(findings)).toEqual([expect.stringContaining("lacks migrations: 1 (one)")]);
});

it("connects to each node of a broker cluster", async () => {
  const [first, second] = await Promise.all([startTestBroker(), startTestBroker()]);
  ends.push(first.stop, second.stop);
  const away = await freePort();
  const urls = [first.url, second.url, `amqp://test:s3cret@127.0.0.1:${away}`];
  const findings = partsOf(
    await start.check({ ...environment, AMQP_URL: urls.join(",") }),
    "broker",
  );
  expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "warning"]);
  expect(findings[2]?.text).toMatch(new RegExp(`^127\\.0\\.0\\.1:${away}: .*ECONNREFUSED`));
  expect(JSON.stringify(findings)).not.toContain("s3cret");
});

it("reports a broker without any node that responds", async () => {
  const urls = [`amqp://127.0.0.1:${await freePort()}`, `amqp://127.0.0.1:${await freePort()}`];
  const findings = await start.check({ ...environment, AMQP_URL: urls.join(",") });
  expect(partsOf(findings, "broker").map(({ state }) => state)).toEqual(["failed", "failed"]);
});

it("reports a bucket of evidence without object lock, and one that does not respond", async () => {
  const [locked, open] = await Promise.all([
    startS3("heads"),
    startS3("heads", { hasLock: false }),
  ]);
  ends.push(locked.stop, open.stop);
  const aws = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
  for (const [key, value] of Object.entries({ ...aws, AWS_MAX_ATTEMPTS: "1" }))
    vi.stubEnv(key, value);
  ends.push(vi.unstubAllEnvs);
  const sinkOf = async (AUDIT_SINK: string, AUDIT_S3_ENDPOINT?: string) => {
    const given = { ...environment, AUDIT_SINK, AUDIT_S3_ENDPOINT };
    return partsOf(await start.check(given), "audit sink").map(({ state }) => state);
  };
  expect(await sinkOf("s3://heads/prod", locked.endpoint)).toEqual(["ok"]);
  expect(await sinkOf("s3://heads/prod", open.endpoint)).toEqual(["failed"]);
  expect(await sinkOf("s3://heads/prod", `http://127.0.0.1:${await freePort()}`)).toEqual([
    "warning",
  ]);
  expect(await sinkOf("file:///var/lib/disburse/audit")).toEqual(["ok"]);
});

it("fetches the keys of persons' provider, and compares clocks with it", async () => {
  const answers: Record<string, string> = { date: new Date(Date.now() - 60_000).toUTCString() };
  const server = createServer((_request, response) => {
    response.writeHead(200, answers).end('{"keys":[{"kid":"a"}]}');
  });
  const port = await listen(server);
  const given = {
    OIDC_ISSUER: "https://login.example.com",
    OIDC_JWKS_URL: `http://127.0.0.1:${port}`,
  };
  const findings = await start.check({ ...environment, ...given });
  expect(partsOf(findings, "persons")).toEqual([{ part: "persons", state: "ok", text: "1 key" }]);
  expect(failed(findings)).toEqual([expect.stringMatching(/^clock: differs by 6\d s/)]);
});

it("warns where no person has access", async () => {
  const findings = await start.check(environment);
  expect(partsOf(findings, "persons")).toEqual([
    { part: "persons", state: "warning", text: "no person has access: OIDC_ISSUER is not set" },
  ]);
});

it("connects to the servers of rails", async () => {
  const port = await listen(createTcpServer((socket) => socket.end()));
  servers = [
    { rail: "bank-usd", host: "127.0.0.1", port },
    { rail: "bank-eur", host: "127.0.0.1", port: await freePort() },
  ];
  const findings = await start.check(environment);
  expect(partsOf(findings, "rail bank-usd")[0]?.state).toBe("ok");
  expect(failed(findings)).toEqual([expect.stringMatching(/^rail bank-eur: .*ECONNREFUSED/)]);
});
