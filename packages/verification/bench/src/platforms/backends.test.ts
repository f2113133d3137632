import { UsageError } from "@disburse/harness/command-line.ts";
import { expect, test, vi } from "vitest";
import { withBackends } from "./backends.ts";

test("names in one sentence what it needs where there is no RabbitMQ", async () => {
  vi.stubEnv("DISBURSE_BROKER", "none");
  const failure: unknown = await withBackends(async () => 0).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UsageError);
  expect(String(failure)).toMatch(/^UsageError: The bench needs RabbitMQ: [^\n]*AMQP_URL[^\n]*\.$/);
});
