import { type ClientHttp2Session, connect, constants } from "node:http2";
import { json } from "node:stream/consumers";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import fc from "fast-check";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createConnectionAge, percentEncoded, type RpcServer, startRpcServer } from "./server.ts";

it.each([
  ["INVALID_REQUEST: url: is required; a, b", "INVALID_REQUEST: url: is required; a, b"],
  ["100 %", "100 %25"],
  ["a\nb", "a%0Ab"],
  ["€ ü", "%E2%82%AC %C3%BC"],
  ["~\u007f", "~%7F"],
  ["", ""],
])("%j is sent as %j", (text, sent) => {
  expect(percentEncoded(text)).toBe(sent);
});

it("reads back any message", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodeURIComponent(percentEncoded(text))).toBe(text);
    }),
  );
});

const authorization = await testTrust.service("gateway")("quote");
const verify = testTrust.verify("quote");
let server: RpcServer;
const answers = Promise.withResolvers<void>();

/** Serves with connections that end after `connectionAgeMs`. */
const serve = (connectionAgeMs: number, draining?: AbortSignal) =>
  startRpcServer({
    ...{ host: "127.0.0.1", port: 0, verify, log: silentLog, connectionAgeMs, draining },
    metrics: createMetrics("test"),
    services: [QuoteService],
    ready: async () => true,
    routes: (router) =>
      router.service(QuoteService, {
        getQuote: async () => {
          await answers.promise;
          return { quote: { id: "late" } };
        },
      }),
  });

function ask(session: ClientHttp2Session) {
  const stream = session.request({
    ":method": "POST",
    ":path": `/${QuoteService.typeName}/GetQuote`,
    "content-type": "application/json",
    authorization,
  });
  stream.end("{}");
  return stream;
}

beforeAll(async () => {
  server = await serve(100);
});
afterAll(() => server.stop());

it("ends an HTTP/1.1 connection with the next answer after its age, not before", async () => {
  const dispatcher = new Agent({ connections: 1 });
  const closes = async () => {
    const { headers, body } = await request(`${server.url}/none`, { dispatcher });
    await body.dump();
    return headers.connection === "close";
  };
  expect(await closes()).toBe(false);
  await expect.poll(closes, { interval: 10 }).toBe(true);
  // The next call uses a new connection.
  expect(await closes()).toBe(false);
  await dispatcher.close();
});

it("ends an HTTP/2 session by GOAWAY, and a running call gets its answer", async () => {
  const session = connect(server.url);
  const closed = new Promise((resolve) => session.once("close", resolve));
  session.once("goaway", (code) => {
    expect(code).toBe(constants.NGHTTP2_NO_ERROR);
    answers.resolve();
  });
  expect(await json(ask(session))).toEqual({ quote: { id: "late" } });
  await closed;
});

it("serves what an HTTP/2 client sent before it knew that the server drains", async () => {
  const draining = new AbortController();
  const leaving = await serve(60_000, draining.signal);
  answers.resolve();
  const session = connect(leaving.url);
  expect(await json(ask(session))).toEqual({ quote: { id: "late" } });
  const goneAway = new Promise((resolve) => session.once("goaway", resolve));
  draining.abort();
  // Its GOAWAY has not been read yet.
  expect(await json(ask(session))).toEqual({ quote: { id: "late" } });
  await goneAway;
  await leaving.stop();
});

it("spreads the ends of connections that began together", () => {
  const age = createConnectionAge(1_000);
  const ends: number[] = [];
  const session = { close: () => undefined, once: () => undefined };
  const timers = globalThis.setTimeout;
  globalThis.setTimeout = ((_run: () => void, ms: number) => {
    ends.push(ms);
    return { unref: () => undefined };
  }) as unknown as typeof setTimeout;
  try {
    for (let made = 0; made < 100; made += 1) age.limit(session as never);
  } finally {
    globalThis.setTimeout = timers;
  }
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(900);
  expect(Math.max(...ends)).toBeLessThanOrEqual(1_100);
  expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(100);
});
