import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createConnection } from "node:net";
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type ServiceImpl,
  type Transport,
} from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withCallContext } from "../call-context.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { admissionInterceptor, createAdmission } from "./admission.ts";
import { createEndpoints } from "./balancing/endpoints.ts";
import { unobserved } from "./balancing/observe.ts";
import { sendIdentity } from "./identity.ts";
import { publicRefusals, readRefusal, refusalError } from "./refusal.ts";
import { capDeadline, type RpcServer, startRpcServer } from "./server.ts";
import { messageBytesMax } from "./unary-message.ts";
import { createUnaryTransport } from "./unary-transport.ts";

/**
 * Compares our own client and handler of unary calls with connect's: all four pairs behave alike,
 * and both servers answer foreign requests alike.
 */

const gateway = testTrust.service("gateway");
const authorization = await gateway("quote");
const aborted: string[] = [];

const implementation: Partial<ServiceImpl<typeof QuoteService>> = {
  getQuote: ({ quoteId }, context) => {
    context.responseHeader.set("x-header", "head");
    context.responseTrailer.set("x-trailer", "tail");
    switch (quoteId) {
      case "refused":
        throw refusalError(publicRefusals, refused("INVALID_REQUEST", "id: is odd"));
      case "error":
        throw new ConnectError("ünlikely", Code.FailedPrecondition, { "x-meta": "data" });
      case "bug":
        throw new Error("secret driver text");
      case "empty":
        return {};
      case "large":
        return { quote: { id: "q".repeat(messageBytesMax + 1) } };
      case "slow":
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => {
            aborted.push(ConnectError.from(context.signal.reason).code.toString());
            reject(context.signal.reason);
          });
        });
      case "brief":
        return new Promise((resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason));
          setTimeout(() => resolve({ quote: { id: "brief" } }), 50);
        });
      case "echo":
        return { quote: { id: `${context.requestHeader.get("x-request-id")}` } };
      default:
        return { quote: { id: quoteId, merchantId: context.method.name } };
    }
  },
};

let lean: RpcServer;
let stock: Server;
const servers = { lean: "", stock: "" };
const options = {
  verify: testTrust.verify("quote"),
  log: silentLog,
  metrics: createMetrics("test"),
};
beforeAll(async () => {
  lean = await startRpcServer({
    ...{ ...options, host: "127.0.0.1", port: 0, services: [QuoteService] },
    ready: async () => true,
    routes: (router) => router.service(QuoteService, implementation),
  });
  stock = createServer(
    connectNodeAdapter({
      routes: (router) => router.service(QuoteService, implementation),
      readMaxBytes: messageBytesMax,
      interceptors: [admissionInterceptor(createAdmission(options))],
    }),
  );
  await new Promise<void>((resolve) => stock.listen(0, "127.0.0.1", resolve));
  servers.lean = lean.url;
  servers.stock = `http://127.0.0.1:${(stock.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await lean.stop();
  stock.closeAllConnections();
  stock.close();
});

const closers: (() => void)[] = [];
afterAll(() => closers.map((close) => close()));

const noStreams = () => {
  throw new Error("streams are connect's");
};

const clients = {
  lean: (url: string): Transport => {
    const endpoints = createEndpoints([url], { observe: unobserved, openStreams: noStreams });
    closers.push(endpoints.close);
    const identity = () => gateway("quote");
    return createUnaryTransport({ endpoints, observe: unobserved, identity }) as Transport;
  },
  stock: (url: string) =>
    createConnectTransport({
      ...{ baseUrl: url, httpVersion: "1.1", useBinaryFormat: true },
      interceptors: [sendIdentity(gateway, "quote")],
      readMaxBytes: messageBytesMax,
    }),
};

type Side = keyof typeof servers;
const sides: readonly Side[] = ["lean", "stock"];
const pairs = sides.flatMap((client) => sides.map((server) => [client, server] as const));

describe.each(pairs)("a %s client of a %s server", (client, server) => {
  const rpc = () => createClient(QuoteService, clients[client](servers[server]));
  const errorOf = (call: Promise<unknown>) => call.then(() => undefined, ConnectError.from);

  it("gets answers, also empty ones, with headers and trailers", async () => {
    let header = new Headers();
    let trailer = new Headers();
    const { quote } = await rpc().getQuote(
      { quoteId: "q" },
      { onHeader: (got) => (header = got), onTrailer: (got) => (trailer = got) },
    );
    expect(quote).toMatchObject({ id: "q", merchantId: "GetQuote" });
    expect([header.get("x-header"), trailer.get("x-trailer")]).toEqual(["head", "tail"]);
    expect((await rpc().getQuote({ quoteId: "empty" })).quote).toBeUndefined();
    const echo = () => rpc().getQuote({ quoteId: "echo" });
    const echoed = await withCallContext({ requestId: "r-1" }, echo);
    expect(echoed.quote?.id).toBe("r-1");
  });

  it("gets refusals and errors in full, and no details of a bug", async () => {
    const refusal = await errorOf(rpc().getQuote({ quoteId: "refused" }));
    expect(refusal?.code).toBe(Code.InvalidArgument);
    expect(readRefusal(refusal)).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("id: is odd"),
    });
    const error = await errorOf(rpc().getQuote({ quoteId: "error" }));
    expect([error?.code, error?.rawMessage]).toEqual([Code.FailedPrecondition, "ünlikely"]);
    expect(error?.metadata.get("x-meta")).toBe("data");
    const bug = await errorOf(rpc().getQuote({ quoteId: "bug" }));
    expect([bug?.code, bug?.rawMessage]).toEqual([Code.Internal, "internal error"]);
    const other = await errorOf(rpc().listCorridors({}));
    expect(other?.code).toBe(Code.Unimplemented);
  });

  it("stops at its deadline and on cancellation, which the server notices", async () => {
    aborted.length = 0;
    const late = await errorOf(rpc().getQuote({ quoteId: "slow" }, { timeoutMs: 60 }));
    expect(late?.code).toBe(Code.DeadlineExceeded);
    const controller = new AbortController();
    const cancelled = errorOf(rpc().getQuote({ quoteId: "slow" }, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 60);
    expect((await cancelled)?.code).toBe(Code.Canceled);
    await expect.poll(() => aborted.length).toBe(2);
    const before = new AbortController();
    before.abort();
    const never = await errorOf(rpc().getQuote({ quoteId: "q" }, { signal: before.signal }));
    expect(never?.code).toBe(Code.Canceled);
  });

  it("sends and reads no message past the bound", async () => {
    const sent = await errorOf(rpc().getQuote({ quoteId: "q".repeat(messageBytesMax + 1) }));
    expect(sent?.code).toBe(Code.ResourceExhausted);
    const read = await errorOf(rpc().getQuote({ quoteId: "large" }));
    expect(read?.code).toBe(Code.ResourceExhausted);
    expect((await rpc().getQuote({ quoteId: "q" })).quote?.id).toBe("q");
  });

  it("makes many calls at once, each with its own answer", async () => {
    const one = rpc();
    const ids = Array.from({ length: 300 }, (_each, at) => `q${at}`);
    const found = await Promise.all(ids.map((quoteId) => one.getQuote({ quoteId })));
    expect(found.map(({ quote }) => quote?.id)).toEqual(ids);
  });
});

/** Status, content type and body of an answer to raw bytes. */
async function answerTo(url: string, init: RequestInit) {
  const response = await fetch(`${url}/${QuoteService.typeName}/GetQuote`, {
    method: "POST",
    ...init,
  });
  const type = response.headers.get("content-type");
  return [response.status, type, await response.text()];
}

describe("both servers answer the same to", () => {
  const headers = {
    authorization,
    "content-type": "application/proto",
    "connect-protocol-version": "1",
  };
  it.each<[string, RequestInit]>([
    ["bytes that are no message", { headers, body: new Uint8Array([0xff, 0xff, 0xff]) }],
    ["no body", { headers }],
    ["no token", { headers: { ...headers, authorization: "" } }],
    ["a wrong token", { headers: { ...headers, authorization: "Bearer x" } }],
    ["no protocol version", { headers: { ...headers, "connect-protocol-version": "" } }],
    ["another protocol version", { headers: { ...headers, "connect-protocol-version": "2" } }],
    ["a timeout that is none", { headers: { ...headers, "connect-timeout-ms": "soon" } }],
    [
      "a timeout that is over",
      { headers: { ...headers, "connect-timeout-ms": "0" }, body: "\n\x04slow" },
    ],
    [
      "JSON",
      { headers: { ...headers, "content-type": "application/json" }, body: '{"quoteId":"q"}' },
    ],
    [
      "JSON that is none",
      { headers: { ...headers, "content-type": "application/json" }, body: "{" },
    ],
    ["another content type", { headers: { ...headers, "content-type": "text/plain" }, body: "x" }],
    ["an unknown compression", { headers: { ...headers, "content-encoding": "zstd" }, body: "x" }],
    ["a method of HTTP that is none of the call's", { headers, method: "PUT", body: "x" }],
  ])("%s", async (_what, init) => {
    expect(await answerTo(servers.lean, init)).toEqual(await answerTo(servers.stock, init));
  });
});

describe("a deadline that no timer can hold", () => {
  // 24.8 days and more: a timer of so many milliseconds ends at once.
  const longest = ["2147483648", "9999999999"];
  const grpcLongest = ["2147484S", "99999999S", "99999999M", "99999999H"];

  it.each(longest)("is capped in Connect's unary calls: %s ms", async (ms) => {
    const headers = { authorization, "connect-protocol-version": "1", "connect-timeout-ms": ms };
    for (const type of ["application/proto", "application/json"]) {
      const body = type.endsWith("json") ? '{"quoteId":"brief"}' : "\n\x05brief";
      const init = { headers: { ...headers, "content-type": type }, body };
      expect((await answerTo(servers.lean, init))[0]).toBe(200);
    }
  });

  it.each(grpcLongest)("is capped in gRPC and gRPC-Web: %s", async (timeout) => {
    const send: Interceptor = (next) => (request) => {
      request.header.set("authorization", authorization);
      request.header.set("grpc-timeout", timeout);
      return next(request);
    };
    const settings = { baseUrl: servers.lean, interceptors: [send] };
    for (const transport of [
      createGrpcTransport(settings),
      createGrpcWebTransport({ ...settings, httpVersion: "1.1" }),
    ]) {
      const rpc = createClient(QuoteService, transport);
      expect((await rpc.getQuote({ quoteId: "brief" })).quote?.id).toBe("brief");
    }
  });

  it.each([
    ["1S", "1S"],
    ["2147483S", "2147483S"],
    ["soon", "soon"],
    ["100000000H", "100000000H"],
  ])("is unchanged if a timer can hold it or it is malformed: %s", (sent, kept) => {
    const headers = { "grpc-timeout": sent, "connect-timeout-ms": "5" };
    capDeadline(headers);
    expect(headers).toEqual({ "grpc-timeout": kept, "connect-timeout-ms": "5" });
  });
});

it("keeps serving after connections that end in the middle of a request", async () => {
  const port = Number(new URL(servers.lean).port);
  const head = `POST /${QuoteService.typeName}/GetQuote HTTP/1.1\r\nhost: x\r\ncontent-type: application/proto\r\ncontent-length: 100\r\n`;
  for (const bytes of ["POST", head, `${head}\r\n`, `${head}\r\nabc`]) {
    await new Promise<void>((resolve) => {
      const socket = createConnection(port, "127.0.0.1", () => socket.end(bytes));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      setTimeout(() => socket.destroy(), 100);
    });
  }
  const rpc = createClient(QuoteService, clients.lean(servers.lean));
  expect((await rpc.getQuote({ quoteId: "q" })).quote?.id).toBe("q");
});
