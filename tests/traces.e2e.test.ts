import type { Role } from "@disburse/chassis/principal.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { type CollectedSpan, type Collector, startCollector } from "@disburse/testkit/collector.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type ReceivedCall, type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf, recipientBody } from "./payer.ts";

let platform: TestPlatform;
let collector: Collector;
let receiver: Receiver;
let acme: Payer;
let webhooks: readonly ReceivedCall[];

/** The merchant's trace context asks not to record. The platform ignores that. */
const traceId = "0af7651916cd43dd8448eb211c80319c";
const merchantsSpan = "b7ad6b7169203331";
const requestId = "traced-main-job";
const headers = {
  traceparent: `00-${traceId}-${merchantsSpan}-00`,
  "x-request-id": requestId,
};
const [path, recipient] = recipientBody("USD");

beforeAll(async () => {
  collector = await startCollector();
  platform = await startTestPlatform({
    SANDBOX_SETTLE_MS: "100",
    LOG_LEVEL: "debug",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "200",
    TRACE_MEMORY_SPANS: "1000",
  });
  receiver = await startReceiver();
  acme = payerOf(platform, "acme");
  await acme.data("POST", paths.endpoints, { url: `${receiver.url}/hooks?token=of-the-merchant` });
  await payInOneTrace();
  webhooks = await receiver.waitFor(2);
  await vi.waitFor(() => expect(spansNamed("POST")).toHaveLength(2), { timeout: 10_000 });
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
  await collector?.close();
});

async function payInOneTrace(): Promise<void> {
  const created = await acme.post(path, recipient, headers);
  const body = {
    ...(await acme.transfer("USD", "USD")),
    beneficiary_id: created.json.data.beneficiary_id,
    source_amount: "10.00",
  };
  const quoted = await acme.post(paths.rfq, body, headers);
  const executed = await acme.post(paths.execute, { quote_id: quoted.json.data.id }, headers);
  expect([created.status, quoted.status, executed.status]).toEqual([200, 200, 200]);
}

const spansOfTrace = (): CollectedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);
const spansNamed = (name: string): CollectedSpan[] =>
  spansOfTrace().filter((span) => span.name === name);

it("has a beneficiary, a quote, an execute and all that follows in the merchant's trace", async () => {
  await vi.waitFor(
    () => {
      const spans = spansOfTrace();
      const services = new Set(spans.map(({ service }) => service));
      expect([...services].toSorted()).toEqual(serviceNames.toSorted());
      const ids = new Set(spans.map(({ spanId }) => spanId));
      const edges = spans.filter(({ parentId }) => !ids.has(parentId));
      expect(edges.map(({ service, name, parentId }) => [service, name, parentId])).toEqual(
        [path, paths.rfq, paths.execute].map((each) => ["gateway", `POST ${each}`, merchantsSpan]),
      );
    },
    { timeout: 10_000 },
  );
  const names = (service: string, kind: string) =>
    spansOfTrace().flatMap((span) =>
      span.service === service && span.kind === kind ? [span.name] : [],
    );
  expect(names("payout", "producer")).toEqual([
    "publish payout.initiated",
    "publish payout.succeeded",
  ]);
  expect(names("notifier", "consumer")).toEqual(["process notifier", "process notifier"]);
  expect(names("compliance", "server")).toEqual([
    "disburse.compliance.v1.ComplianceService/ScreenParty",
  ]);
});

it("answers operators with the spans of each service, by the request's id or the trace's", async () => {
  const spansAt = async (service: ServiceName, request: object, roles: readonly Role[]) => {
    const identity = platform.trust.person("olga", roles);
    const { rpc, close } = connectService(TraceService, platform.url(service), { identity });
    try {
      return (await rpc.listSpans(request)).spans;
    } finally {
      close();
    }
  };
  const began = await spansAt("gateway", { requestId }, ["support"]);
  expect(new Set(began.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const known = new Set(began.map(({ spanId }) => spanId));
  const inPayout = await spansAt("payout", { traceId }, ["compliance_officer"]);
  const executed = inPayout.find(({ name, kind }) => {
    return kind === "server" && name === "disburse.payout.v1.PayoutService/ExecutePayout";
  });
  expect(executed).toMatchObject({ service: "payout", error: "" });
  expect(known).toContain(executed?.parentSpanId);
  const sent = JSON.stringify(
    [began, inPayout].map((spans) => spans.map((each) => each.attributes)),
  );
  expect(sent).not.toContain(recipient.beneficiary_account_number);
  await expect(spansAt("quote", { traceId }, [])).rejects.toThrow("may not call ListSpans");
});

it("hands its span to the merchant's receiver, recorded as we decide", () => {
  const calls = spansNamed("POST").map(({ spanId }) => `00-${traceId}-${spanId}-01`);
  const sent = webhooks.map((webhook) => webhook.headers.traceparent);
  expect(sent.toSorted()).toEqual(calls.toSorted());
});

it("writes the trace in every line of its requests", () => {
  const lines = serviceNames.flatMap((service) => platform.log(service).split("\n"));
  const traced = lines.filter((line) => line.includes(`"request_id":"${requestId}"`));
  expect(traced.length).toBeGreaterThan(10);
  expect(traced.filter((line) => !line.includes(`"trace_id":"${traceId}"`))).toEqual([]);
});

it("sends nothing of a person or a body", () => {
  const sent = collector.text();
  expect(sent).toContain("disburse.payout_id");
  const personal = textsOf(recipient).filter((text) => text.length >= lengthMin);
  expect(personal).toEqual(expect.arrayContaining([recipient.beneficiary_account_number]));
  const others = ["of-the-merchant", "/hooks", platform.apiKey("acme")];
  expect([...personal, ...others].filter((text) => sent.includes(text))).toEqual([]);
});

/** Shorter values are codes, which any id may contain. */
const lengthMin = 5;

function textsOf(body: BodyValues): string[] {
  return Object.values(body).flatMap((value) =>
    typeof value === "object" && value !== null ? textsOf(value as BodyValues) : String(value),
  );
}
