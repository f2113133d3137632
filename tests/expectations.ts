import { serviceNames } from "@disburse/sandbox/service-names.ts";
import type { TestPlatform } from "@disburse/testkit/platform.ts";
import { expect, vi } from "vitest";
import { paths } from "./bodies.ts";
import type { Payer } from "./payer.ts";

/** Tests put this text into invalid input in many places. No log may contain it. */
export const marker = "Zqmarker7";

export type Answered = { readonly status: number; readonly text: string };

export function expectError(answer: Answered, status: number, code: string): void {
  const { violations, reason, ...json } = JSON.parse(answer.text);
  expect([answer.status, json]).toEqual([status, { code, message: expect.stringMatching(/\S/) }]);
  for (const each of violations ?? []) {
    expect(Object.keys(each)).toEqual(["field", "rule", "message"]);
    // Other messages are fixed. A hint about an unknown field is in `violations` alone.
    const [problem] = each.message.split(", and ");
    if (code === "INVALID_REQUEST") expect(json.message).toContain(`${each.field}: ${problem}`);
  }
  expect(reason ?? "none").toMatch(/^[a-z_]+$/);
}

/** Internal details that no response may contain: stacks, files, drivers, hosts. */
const insides = /\bat .+:\d+|node_modules|\.ts\b|Error\b|mongo|127\.0\.0\.1|E11000|stack/i;

/**
 * Expects that no response has status 500 or shows internal details, and that the gateway counted
 * no such response.
 */
export async function expectNoInsides(platform: TestPlatform, answers: readonly Answered[]) {
  expect(answers.filter(({ status }) => status >= 500 && status !== 501)).toEqual([]);
  expect(answers.filter(({ text }) => insides.test(text))).toEqual([]);
  const metrics = await (await fetch(`${platform.adminUrl("gateway")}/metrics`)).text();
  expect(metrics).toMatch(/status="40\d"/);
  expect(metrics).not.toMatch(/status="50[0234]"/);
}

/** Expects a payout to settle with its webhooks. */
export async function expectWorking(payer: Payer): Promise<void> {
  const payoutId = await payer.pay(marker);
  await vi.waitFor(
    async () => {
      const payout = await payer.data("GET", `${paths.payouts}/${payoutId}`);
      expect(payout).toMatchObject({ status: "succeeded", reference_id: marker });
    },
    { timeout: 10_000, interval: 100 },
  );
}

/** Expects that no service logged these texts or an error. */
export function expectQuietLogs(platform: TestPlatform, secrets: readonly string[]): void {
  for (const service of serviceNames) {
    const log = platform.log(service).toLowerCase();
    expect(log).toContain('"level":"');
    const leaked = secrets.filter((secret) => log.includes(secret.toLowerCase()));
    expect([service, ...leaked]).toEqual([service]);
    const loud = log.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line));
    expect([service, ...loud]).toEqual([service]);
  }
}
