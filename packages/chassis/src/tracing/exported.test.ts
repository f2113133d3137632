import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { startCollector } from "@disburse/testkit/collector.ts";
import { describe, expect, it, vi } from "vitest";
import { type Log, silentLog } from "../log.ts";
import { readSettings } from "../settings.ts";
import { exportSpans } from "./exported.ts";
import { openTracing } from "./open.ts";
import { tracingSettings } from "./settings.ts";

const work = { kind: "internal", name: "work" } as const;
/** Only a stop sends the gathered spans. */
const neverMs = 1_000_000;

it("sends gathered spans at its stop, each service under its own name", async () => {
  const collector = await startCollector();
  const url = `${collector.url}/v1/traces`;
  for (const name of ["quote", "payout"]) {
    const { tracing, stop } = exportSpans({
      ...{ url, name, everyMs: neverMs, share: 1, log: silentLog },
      headers: { "api-key": "k-1" },
      resource: { "deployment.environment.name": "stage", "service.name": "other" },
    });
    tracing.startRequest(work, undefined).end({ name: `${name}'s work` });
    await stop();
  }
  await collector.close();
  expect(collector.spans.map(({ service, name }) => [service, name])).toEqual([
    ["quote", "quote's work"],
    ["payout", "payout's work"],
  ]);
  expect(collector.text()).toContain("stage");
  expect(collector.text()).toMatch(/service\.version[^a-z]*\d+\.\d+\.\d+/);
  expect(collector.headers().map((each) => each["api-key"])).toEqual(["k-1", "k-1"]);
});

it("stops soon if the collector does not reply, and logs once that spans are lost", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as AddressInfo;
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, event) => void warnings.push(event) };
  const url = `http://127.0.0.1:${port}`;
  const options = { url, name: "quote", everyMs: neverMs, share: 1, log, flushWithinMs: 50 };
  const { tracing, stop } = exportSpans(options);
  tracing.startRequest(work, undefined).end();
  await stop();
  silent.close();
  expect(warnings).toEqual(["the last trace spans were not exported before the process stopped"]);
});

it("logs once that a collector refuses spans, and once that it accepts them again", async () => {
  let status = 400;
  const collector = createHttpServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const events: string[] = [];
  const note = (_fields: object, event: string) => void events.push(event);
  const log: Log = { ...silentLog, warn: note, info: note };
  const url = `http://127.0.0.1:${port}`;
  const { tracing, stop } = exportSpans({ url, name: "quote", everyMs: 1, share: 1, log });
  const send = () => tracing.startRequest(work, undefined).end();
  send();
  await vi.waitFor(() => expect(events).toEqual(["exporting trace spans failed"]), 10_000);
  send();
  await new Promise((resolve) => collector.once("request", resolve));
  status = 200;
  await vi.waitFor(() => {
    send();
    expect(events).toEqual(["exporting trace spans failed", "trace spans are exported again"]);
  }, 10_000);
  await stop();
  collector.close();
});

describe("tracing by its settings", () => {
  const open = (environment: Record<string, string>) =>
    openTracing("quote", readSettings(environment, tracingSettings), silentLog);

  it.each([
    {},
    { TRACE_MEMORY_SPANS: "0" },
    { TRACE_MEMORY_SPANS: "5", OTEL_SDK_DISABLED: "true" },
  ])("is absent with %j", async (environment) => {
    expect(await open(environment)).toBeUndefined();
  });

  it("keeps spans in memory, with a collector and without one", async () => {
    const collector = await startCollector();
    const more = [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }];
    for (const environment of more) {
      const traces = await open({ TRACE_MEMORY_SPANS: "5", ...environment });
      const span = traces?.tracing.startRequest(work, undefined);
      span?.end();
      const { traceId = "" } = span?.context ?? {};
      expect(traces?.memory?.find({ traceId }).map(({ name }) => name)).toEqual(["work"]);
      await traces?.stop();
    }
    await collector.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(["work"]);
  });
});
