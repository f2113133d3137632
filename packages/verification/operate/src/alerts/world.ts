import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBackends } from "@disburse/faults/backends/backends.ts";
import { postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import { makeRecipients } from "@disburse/faults/payouts/recipients.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { until } from "@disburse/harness/waiting.ts";
import { fundMerchant, startPlatform } from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { startPrometheus } from "../observability/prometheus.ts";

const prefix = "operate_";
const busNamespace = "operate";

const settings = {
  ...unlimitedRate,
  LOG_LEVEL: "error",
  QUOTE_TTL_SECONDS: "600",
  SANDBOX_SETTLE_MS: "200",
  SCREENING_SWEEP_MS: "500",
  GAP_SWEEP_SECONDS: "2",
};

const entry = { uid: "operate-1", type: "entity", programs: ["OPERATE"] };
const names = [{ name: "Operations Test Entity", kind: "primary" }];
/** A list fetched from a file at the service's polling interval. */
const sourceOf = (path: string) => [
  { list: "operate", format: "json_lines", every_hours: 0.001, files: [{ path }] },
];

/** The lists' gauges are updated every 30 s. */
const indexing = { timeoutMs: 60_000, everyMs: 500 };

async function untilIndexed(adminUrl: string): Promise<void> {
  const isIndexed = async () => {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    return /^disburse_list_awaited{.*list="operate".*} 0$/m.test(text);
  };
  if (!(await until(isIndexed, indexing)))
    throw new Error("the imported sanctions list was not indexed in time");
}

/** A platform for faults, and the Prometheus that monitors it. */
export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts the platform and Prometheus. `ends` stops them, even after a failed start. */
export async function startWorld(ends: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), "operate-"));
  const places = { engine: join(folder, "engine"), broker: join(folder, "broker") };
  for (const place of Object.values(places)) mkdirSync(place);
  const backends = await startBackends(places, createRandom(1));
  ends.defer(backends.stop);
  const { mongodbUri, amqpUrl } = backends;
  const listFile = join(folder, "list.jsonl");
  writeFileSync(listFile, `${JSON.stringify({ ...entry, names })}\n`);
  const platform = await startPlatform({
    mongodbUri,
    amqpUrl,
    busNamespace,
    databasePrefix: prefix,
    settings: { ...settings, LIST_SOURCES: JSON.stringify(sourceOf(listFile)) },
  });
  ends.defer(platform.stop);
  const merchant = await fundMerchant(platform);
  const gateway = { baseUrl: platform.baseUrl, apiKey: merchant.apiKey };
  const databases = () => ({ client: backends.mongo(), prefix });
  const [recipient] = await makeRecipients({ ...platform, ...merchant, databases });
  await untilIndexed(platform.adminUrl("compliance"));
  const targets = serviceNames.map((service) => ({
    service,
    address: new URL(platform.adminUrl(service)).host,
  }));
  const prometheus = await startPrometheus(join(folder, "prometheus"), targets);
  ends.defer(prometheus.stop);
  const post = (path: string, body: object) => postUntilAnswered(gateway, path, body);
  const transfer = {
    beneficiary_id: recipient?.id,
    account_id: merchant.accountId,
    source_currency_code: "USD",
    destination_currency_code: "USD",
    source_amount: "10.00",
  };
  return {
    ends,
    platform,
    backends,
    merchant,
    gateway,
    prometheus,
    busNamespace,
    post,
    transfer,
    /** Returns a service's database on a direct connection. */
    db: (service: ServiceName) => backends.mongo().db(`${prefix}${service}`),
    pay: async (reference: string): Promise<string> => {
      const quoted = await post("/transfer/rfq", transfer);
      const body = {
        quote_id: quoted?.data.id,
        reference_id: `${reference}-${crypto.randomUUID()}`,
      };
      const paid = await post("/transfer/execute", body);
      const id = paid?.data.id;
      if (id === undefined)
        throw new Error(`the payout was not created: ${paid?.text ?? quoted?.text}`);
      return id;
    },
    listFile,
  };
}
