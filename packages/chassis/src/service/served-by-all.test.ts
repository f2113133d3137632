import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createClient,
  createConnectRouter,
  createRouterTransport,
  type ServiceImpl,
} from "@connectrpc/connect";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { describe, expect, it } from "vitest";
import { readRefusal } from "../rpc/refusal.ts";
import type { Mode } from "../settings.ts";
import { createSpanMemory, type SpanMemory } from "../tracing/memory.ts";
import { createTracer, createTracing } from "../tracing/recorded.ts";
import { isSandboxOnly, servedIn, traceRpc } from "./served-by-all.ts";

const proto = join(import.meta.dirname, "../../../../proto/disburse");
const sandboxes: readonly DescService[] = [
  BeneficiarySandboxService,
  ComplianceSandboxService,
  NotifierSandboxService,
  PayoutSandboxService,
  QuoteSandboxService,
];
const services: readonly DescService[] = [...sandboxes, QuoteService];

const implementation = {} as ServiceImpl<DescService>;
const byService = (router: ConnectRouter) => {
  for (const each of services) router.service(each, implementation);
};
const byMethod = (router: ConnectRouter) => {
  for (const { methods } of services) {
    for (const each of methods) router.rpc(each, (() => ({})) as never);
  }
};

/** The paths of all RPCs that a process serves in a mode. */
function pathsIn(mode: Mode, routes: (router: ConnectRouter) => void): string[] {
  const router = createConnectRouter();
  servedIn(mode, { services, routes }).routes(router);
  return router.handlers.map(({ requestPath }) => requestPath);
}

const pathsOf = (among: readonly DescService[]) =>
  among.flatMap(({ typeName, methods }) => methods.map(({ name }) => `/${typeName}/${name}`));

describe.each([
  ["services", byService],
  ["methods", byMethod],
])("of services registered by %s", (_what, routes) => {
  it("a live deployment serves none of the sandbox's", () => {
    expect(pathsIn("live", routes)).toEqual(pathsOf([QuoteService]));
  });

  it("a sandbox serves all", () => {
    expect(pathsIn("sandbox", routes)).toEqual(pathsOf(services));
  });
});

it("health and reflection of a live deployment do not name them", () => {
  expect(servedIn("live", { services, routes: byService }).services).toEqual([QuoteService]);
  expect(servedIn("sandbox", { services, routes: byService }).services).toEqual(services);
});

it("every service of the contract that is for sandboxes alone is one of these", () => {
  const files = readdirSync(proto, { recursive: true, encoding: "utf8" });
  const ofSandboxes = files.filter((file) => file.endsWith("_sandbox.proto"));
  const named = ofSandboxes.flatMap((file) => {
    const text = readFileSync(join(proto, file), "utf8");
    return [...text.matchAll(/^service (\w+)/gm)].map(([, name]) => name);
  });
  expect(named.sort()).toEqual(sandboxes.map(({ name }) => name).sort());
  expect(services.filter(isSandboxOnly)).toEqual(sandboxes);
});

const clientOf = (memory: SpanMemory | undefined) =>
  createClient(
    TraceService,
    createRouterTransport((router) => router.service(TraceService, traceRpc("quote", memory))),
  );

it("answers with the service's spans, their times in microseconds", async () => {
  const memory = createSpanMemory(10);
  const tracing = createTracing(createTracer([memory], "test"), 1);
  const attributes = { "disburse.request_id": "r-1" };
  tracing.startRequest({ kind: "server", name: "work", attributes }, undefined).end();
  const [kept] = memory.find({ requestId: "r-1" });
  const { spans, keptMax } = await clientOf(memory).listSpans({ requestId: "r-1" });
  expect(keptMax).toBe(10);
  const [span] = spans;
  expect(span).toMatchObject({
    service: "quote",
    name: "work",
    traceId: kept?.traceId,
    attributes,
  });
  const { seconds = 0n, nanos = 0 } = span?.startedAt ?? {};
  expect(Number(seconds) * 1_000_000 + nanos / 1_000).toBe(kept?.startedUs);
  expect(span?.durationUs).toBe(BigInt(kept?.durationUs ?? -1));
});

it("reports that it keeps none", async () => {
  const answer = await clientOf(undefined).listSpans({ requestId: "r-1" });
  expect(answer).toMatchObject({ spans: [], keptMax: 0 });
});

it.each([
  [{}, "trace_id: is required unless request_id is set; only one of them may be set"],
  [
    { traceId: "a".repeat(32), requestId: "r-1" },
    "trace_id: is required unless request_id is set; only one of them may be set",
  ],
  [{ traceId: "A".repeat(32) }, "trace_id: must be 32 hexadecimal digits"],
  [{ requestId: "a b" }, "request_id: must be 1 to 128 letters, digits and ._:-"],
])("refuses %j", async (request, message) => {
  for (const memory of [undefined, createSpanMemory(10)]) {
    const refusal = await clientOf(memory).listSpans(request).then(undefined, readRefusal);
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", message });
  }
});
