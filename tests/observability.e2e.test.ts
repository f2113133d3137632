import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { queries, selectionsOf } from "@disburse/operate/observability/files.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { payerOf } from "./payer.ts";

/** Has its own metrics, and checks wallets only. */
/** Nothing listens there: the metrics of e-mails exist without a mail. */
const mails = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "payouts@merchant.example" };
const walletProvider = {
  ...{ WALLET_PROVIDER_URL: "http://127.0.0.1:9/", WALLET_PROVIDER_API_KEY: "unused" },
};

/** Enables the metrics of shipped heads. */
const sink = mkdtempSync(join(tmpdir(), "disburse-sink-"));
const evidence = { AUDIT_SINK: pathToFileURL(sink).href };

let platform: TestPlatform;
let receiver: Receiver;
/** Labels by metric. A metric without a series has none yet. */
let metrics: Map<string, Set<string>>;

async function scraped(): Promise<Map<string, Set<string>>> {
  const urls = serviceNames.map((service) => `${platform.adminUrl(service)}/metrics`);
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  const found = new Map<string, Set<string>>();
  for (const line of texts.join("\n").split("\n")) {
    const [, typed, type] = /^# TYPE (\w+) (\w+)/.exec(line) ?? [];
    const parts = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const part of typed === undefined ? [] : parts) {
      found.set(`${typed}${part}`, found.get(`${typed}${part}`) ?? new Set());
    }
    const [, name = "", labels = ""] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  }
  return found;
}

beforeAll(async () => {
  platform = await startTestPlatform({
    ...{ SANDBOX_SETTLE_MS: "100", ...walletProvider, ...evidence, ...mails },
  });
  const acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  await acme.post("/api/v1/webhooks/endpoints", { url: receiver.url, description: "metrics" });
  await acme.pay("observed");
  await vi.waitFor(
    async () => {
      metrics = await scraped();
      expect(metrics.get("disburse_webhook_attempts_total")).toContain("outcome");
    },
    { timeout: 15_000, interval: 250 },
  );
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
  rmSync(sink, { recursive: true });
});

function missing(metric: string, labels: readonly string[]): string[] {
  const known = metrics.get(metric);
  if (known === undefined) return [`${metric} is not there`];
  if (known.size === 0) return [];
  return labels.filter((each) => !known.has(each)).map((each) => `${metric} has no ${each}`);
}

it("has every metric and label that an alert or a dashboard asks for", () => {
  const problems = queries().flatMap(({ of, query }) => {
    const { selections, grouped } = selectionsOf(query);
    const own = selections.flatMap(({ metric, labels }) => missing(metric, labels));
    const [first] = selections;
    const byLabels = first === undefined ? [] : missing(first.metric, grouped);
    return [...own, ...byLabels].map((why) => `${of}: ${why}`);
  });
  expect(problems).toEqual([]);
});
