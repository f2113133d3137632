import { UsageError } from "@disburse/harness/command-line.ts";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { assertComparable, describeDatabase, withBackends } from "./backends.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("names in one sentence what it needs where there is no RabbitMQ", async () => {
  vi.stubEnv("DISBURSE_BROKER", "none");
  const failure: unknown = await withBackends(async () => 0).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UsageError);
  expect(String(failure)).toMatch(/^UsageError: The bench needs RabbitMQ: [^\n]*AMQP_URL[^\n]*\.$/);
});

test("names a broker and a database that do not answer", async () => {
  vi.stubEnv("AMQP_URL", "amqp://127.0.0.1:1");
  await expect(withBackends(async () => 0)).rejects.toThrow(
    /^The bench needs the broker .*REFUSED/,
  );
  const { url, close } = await serveLocally(() => undefined);
  onTestFinished(close);
  vi.stubEnv("AMQP_URL", url.replace("http", "amqp"));
  vi.stubEnv("MONGODB_URI", "nonsense");
  const failure: unknown = await withBackends(async () => 0).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UsageError);
  expect(String(failure)).toMatch(/needs the database that MONGODB_URI names: [^\n]*mongodb:/);
});

test("says in one sentence that an older server's figures do not compare", () => {
  expect(() => assertComparable({ version: "7.0.14" })).toThrow(UsageError);
  expect(() => assertComparable({ version: "7.0.14" })).toThrow(
    /^MONGODB_URI names MongoDB 7\.0\.14, whose figures are not comparable, [^\n]*\.$/,
  );
  for (const version of ["8.0.0", "9.0.0-alpha0", "10.1.2"]) {
    expect(() => assertComparable({ version })).not.toThrow();
  }
});

test("says what the embedded engine leaves out, and whether a server has an oplog", () => {
  const embedded = { kind: "embedded", version: "9.0.0-alpha0", hasOplog: false } as const;
  expect(describeDatabase(embedded)).toMatch(/socket in JavaScript and has no oplog/);
  const external = { kind: "external", version: "8.0.4", hasOplog: true } as const;
  expect(describeDatabase(external)).toMatch(/8\.0\.4 named by MONGODB_URI, .* with an oplog/);
  expect(describeDatabase({ ...external, hasOplog: false })).toMatch(/without an oplog/);
});
