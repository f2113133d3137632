import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { Code, type ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { BadRequestSchema } from "@disburse/contracts/google/rpc/error_details_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "@disburse/contracts/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { invalidRequest, refused } from "@disburse/kernel/refusal.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { MongoNetworkError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callContext, withCallContext } from "../call-context.ts";
import { bearerIdentity } from "../identity/service-tokens.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { connectService } from "./client.ts";
import { sendIdentity } from "./identity.ts";
import { isUnavailable, publicRefusals, readRefusal, refusalError } from "./refusal.ts";
import { type RpcServer, startRpcServer } from "./server.ts";

const identity = testTrust.service("gateway");
const seen: { requestId: string | undefined; deadlineMs: number | undefined }[] = [];
let ready = true;
let slowCalls = 0;
let server: RpcServer;

function serve(port = 0) {
  return startRpcServer({
    host: "127.0.0.1",
    port,
    verify: testTrust.verify("quote"),
    log: silentLog,
    metrics: createMetrics("test"),
    services: [QuoteService],
    ready: async () => ready,
    routes: (router) =>
      router.service(QuoteService, {
        getQuote: ({ quoteId }, { signal }) => {
          seen.push({ requestId: callContext()?.requestId, deadlineMs: callContext()?.deadlineMs });
          if (quoteId === "bug") throw new Error("secret driver text");
          if (quoteId === "database") throw new MongoNetworkError("secret host");
          if (quoteId === "slow") {
            slowCalls += 1;
            return new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            });
          }
          if (quoteId === "missing")
            throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
          return { quote: { id: quoteId } };
        },
      }),
  });
}

beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.stop());

describe("one port", () => {
  const interceptors = [sendIdentity(identity, "quote")];
  it.each([
    ["Connect over HTTP/1.1", () => createConnectTransport(options("1.1"))],
    ["Connect over HTTP/2", () => createConnectTransport(options("2"))],
    ["gRPC", () => createGrpcTransport(options("2"))],
    ["gRPC-Web", () => createGrpcWebTransport(options("1.1"))],
  ])("serves %s", async (_what, transport) => {
    const { quote } = await createClient(QuoteService, transport()).getQuote({ quoteId: "q" });
    expect(quote?.id).toBe("q");
  });
  function options<V extends "1.1" | "2">(httpVersion: V) {
    return { baseUrl: server.url, httpVersion, interceptors };
  }

  it.each([
    ["sent as it is", undefined],
    ["compressed", "gzip"],
  ])("reads no message past the bound, %s", async (_what, encoding) => {
    const large = Buffer.alloc(5 * 1024 * 1024);
    const response = await fetch(`${server.url}/${QuoteService.typeName}/GetQuote`, {
      method: "POST",
      headers: {
        "content-type": "application/proto",
        "connect-protocol-version": "1",
        authorization: await identity("quote"),
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
      },
      body: encoding === undefined ? large : gzipSync(large),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: "resource_exhausted" });
  });

  it("survives a connection that closes without a byte", async () => {
    const port = Number(new URL(server.url).port);
    const socket = createConnection(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.destroy();
    expect((await fetch(server.url)).status).toBe(404);
  });
});

it("does not wait at shutdown for a connection without a first byte", async () => {
  const other = await serve();
  const socket = createConnection(Number(new URL(other.url).port), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await other.stop();
  await closed;
});

it("closes idle HTTP/1.1 connections at shutdown, not after Node's 5 s of keep-alive", async () => {
  const other = await serve();
  const socket = createConnection(Number(new URL(other.url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: test\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await other.stop();
  await closed;
}, 4_000);

it("keeps its port bound at shutdown until `held` settles, and serves no call", async () => {
  const other = await serve();
  const port = Number(new URL(other.url).port);
  const held = Promise.withResolvers<void>();
  const stopped = other.stop(held.promise);
  const socket = createConnection(port, "127.0.0.1").on("error", () => undefined);
  await new Promise((resolve) => socket.once("close", resolve));
  await expect(serve(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  held.resolve();
  await stopped;
  await (await serve(port)).stop();
});

describe("identity", () => {
  it.each([
    ["no token", []],
    ["a wrong token", [sendIdentity(bearerIdentity("x".repeat(32)), "quote")]],
    ["a token for another service", [sendIdentity(identity, "payout")]],
  ])("refuses %s", async (_what, interceptors) => {
    const transport = createConnectTransport({
      baseUrl: server.url,
      httpVersion: "1.1",
      interceptors,
    });
    const call = createClient(QuoteService, transport).getQuote({ quoteId: "q" });
    await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated });
  });

  it("serves health without a token, with the service's status and version", async () => {
    const transport = createGrpcTransport({ baseUrl: server.url });
    const health = createClient(Health, transport);
    let version: string | null = null;
    const onHeader = (header: Headers) => {
      version = header.get("disburse-version");
    };
    expect((await health.check({ service: QuoteService.typeName }, { onHeader })).status).toBe(1);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    ready = false;
    expect((await health.check({ service: "" })).status).toBe(2);
    ready = true;
    await expect(health.check({ service: "x" })).rejects.toMatchObject({ code: Code.NotFound });
  });
});

describe("a client", () => {
  const client = () => connectService(QuoteService, server.url, { identity });

  it("carries the request id and the remaining time", async () => {
    const { rpc, close } = client();
    const startedAt = Date.now();
    const deadlineMs = startedAt + 3_000;
    await withCallContext({ requestId: "req-1", deadlineMs }, () => rpc.getQuote({ quoteId: "q" }));
    const tookMs = Date.now() - startedAt;
    const last = seen.at(-1);
    expect(last?.requestId).toBe("req-1");
    expect(last?.deadlineMs).toBeLessThanOrEqual(deadlineMs + tookMs);
    close();
  });

  it("reads a refusal back", async () => {
    const { rpc, close } = client();
    const error = await rpc.getQuote({ quoteId: "missing" }).catch((reason: unknown) => reason);
    expect(readRefusal(error)).toEqual({
      code: "RECORD_NOT_FOUND",
      message: "Unable to find the record requested.",
    });
    close();
  });

  it("does not receive a bug's cause", async () => {
    const { rpc, close } = client();
    const error = await rpc.getQuote({ quoteId: "bug" }).catch((reason: unknown) => reason);
    expect((error as ConnectError).code).toBe(Code.Internal);
    expect(String(error)).not.toContain("secret");
    close();
  });

  it("receives UNAVAILABLE while the database is unavailable", async () => {
    const { rpc, close } = client();
    const error = await rpc.getQuote({ quoteId: "database" }).catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    expect(String(error)).not.toContain("secret");
    close();
  });

  it("replaces the connection to a peer that vanished", async () => {
    const frozen = new Set<Socket>();
    const sockets = new Set<Socket>();
    let isAway = false;
    const proxy = createServer((socket) => {
      sockets.add(socket);
      if (isAway) frozen.add(socket);
      const upstream = createConnection(Number(new URL(server.url).port), "127.0.0.1");
      for (const each of [socket, upstream]) each.on("error", () => undefined);
      socket.once("close", () => upstream.destroy());
      socket.on("data", (data) => frozen.has(socket) || upstream.write(data));
      upstream.on("data", (data) => frozen.has(socket) || socket.write(data));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const options = { identity, timeoutMs: 400 };
    const { rpc, close } = connectService(QuoteService, url, options);
    await rpc.getQuote({ quoteId: "q" });
    isAway = true;
    for (const socket of sockets) frozen.add(socket);
    const unheard = rpc.getQuote({ quoteId: "q" });
    await expect(unheard).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    // The server is back, but only new connections reach it.
    isAway = false;
    expect((await rpc.getQuote({ quoteId: "q" })).quote?.id).toBe("q");
    close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it("fails at its deadline", async () => {
    const { rpc, close } = client();
    const inTime = { requestId: "r", deadlineMs: Date.now() + 300 };
    const error = await withCallContext(inTime, () =>
      rpc.getQuote({ quoteId: "slow" }).catch((reason: unknown) => reason),
    );
    expect(isUnavailable(error)).toBe(true);
    const late = withCallContext({ requestId: "r", deadlineMs: Date.now() }, () =>
      rpc.getQuote({ quoteId: "q" }),
    );
    await expect(late).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    close();
  });

  it("is UNAVAILABLE when the connection breaks during a call", async () => {
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      sockets.push(socket);
      const upstream = createConnection(Number(new URL(server.url).port), "127.0.0.1");
      for (const each of [socket, upstream]) each.on("error", () => undefined);
      socket.once("close", () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const breakOff of ["destroy", "resetAndDestroy"] as const) {
      const { rpc, close } = connectService(QuoteService, url, { identity });
      await rpc.getQuote({ quoteId: "q" });
      slowCalls = 0;
      const slow = rpc.getQuote({ quoteId: "slow" }).catch((reason: unknown) => reason);
      await vi.waitFor(() => expect(slowCalls).toBe(1), 10_000);
      for (const socket of sockets.splice(0)) socket[breakOff]();
      expect(await slow).toMatchObject({ code: Code.Unavailable });
      expect((await rpc.getQuote({ quoteId: "q" })).quote?.id).toBe("q");
      close();
    }
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it("is UNAVAILABLE while the service is down, and works when it is back", async () => {
    const other = await serve();
    const port = Number(new URL(other.url).port);
    const { rpc, close } = connectService(QuoteService, other.url, { identity });
    await rpc.getQuote({ quoteId: "q" });
    await other.stop();
    const error = await rpc.getQuote({ quoteId: "q" }).catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    const again = await serve(port);
    expect((await rpc.getQuote({ quoteId: "q" })).quote?.id).toBe("q");
    close();
    await again.stop();
  });
});

it("names the invalid fields in the standard detail of gRPC, beside its own", () => {
  const violations = [
    { field: "address.city", problem: "is required" },
    { field: "amount", problem: "must be a string" },
  ];
  const error = refusalError(publicRefusals, invalidRequest(violations));
  expect(error.findDetails(BadRequestSchema)).toMatchObject([
    {
      fieldViolations: [
        { field: "address.city", description: "is required", reason: "required" },
        { field: "amount", description: "must be a string", reason: "type" },
      ],
    },
  ]);
  expect(readRefusal(error)?.code).toBe("INVALID_REQUEST");
  const other = refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
  expect(other.findDetails(BadRequestSchema)).toEqual([]);
});

it("describes itself to a tool that knows only v1alpha of reflection", async () => {
  const { rpc, close } = connectService(ServerReflectionAlpha, server.url, {
    identity,
    peer: "quote",
  });
  async function* asked() {
    yield {
      messageRequest: { case: "fileContainingSymbol" as const, value: QuoteService.typeName },
    };
  }
  const answers = await Array.fromAsync(rpc.serverReflectionInfo(asked()));
  close();
  expect(answers).toMatchObject([{ messageResponse: { case: "fileDescriptorResponse" } }]);
});

it("describes itself by reflection to a client without schema", async () => {
  const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");
  const url = `${server.url}/disburse.quote.v1.QuoteService/GetQuote`;
  const token = `authorization: ${await identity("quote")}`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[buf, "curl", "--protocol", "grpc", "--http2-prior-knowledge", "--header", token],
    ...["--reflect-header", token, "--data", '{"quote_id":"qt_1"}', url],
  ]);
  expect(JSON.parse(stdout)).toEqual({ quote: { id: "qt_1" } });
});
