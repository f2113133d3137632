import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { createConnection } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { sendIdentity } from "./identity.ts";
import { type RpcServer, startRpcServer } from "./server.ts";

const caller = testTrust.person("test");
const token = await caller("compliance");
const times = {
  ...{ headMs: 150, requestMs: 300, streamMs: 1_000, answeredMs: 100, checkEveryMs: 50 },
};
/** Longer than the time limit of a request. */
const longMs = 450;
const unary = `/${ComplianceService.typeName}/ListLists`;
const streamed = `/${ComplianceService.typeName}/ImportList`;
let server: RpcServer;

beforeAll(async () => {
  server = await startRpcServer({
    ...{
      host: "127.0.0.1",
      port: 0,
      verify: testTrust.verify("compliance"),
      log: silentLog,
      sendingTimes: times,
    },
    metrics: createMetrics("test"),
    services: [ComplianceService],
    ready: async () => true,
    routes: (router) =>
      router.service(ComplianceService, {
        listLists: async () => {
          await pause(longMs);
          return { lists: [] };
        },
        importList: async (requests) => {
          let parts = 0;
          for await (const { part } of requests) parts += part.case === undefined ? 0 : 1;
          return { version: { version: `${parts} parts` } };
        },
      }),
  });
});
afterAll(() => server.stop());

const identity = `authorization: ${token}\r\n`;
const head = (path: string, type: string, more = identity) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/${type}\r\n${more}`;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** A frame of stream 1: :method POST, :scheme http, :path /x, :authority a. */
const fields = [0x83, 0x86, 0x44, 2, 0x2f, 0x78, 0x41, 1, 0x61];
const headers = Buffer.from([0, 0, fields.length, 1, 0, 0, 0, 0, 1, ...fields]);

it.concurrent.each<[string, string | Buffer]>([
  ["half a head over HTTP/1.1", "POST /x HTTP/1.1\r\nhost:"],
  ["half a body", `${head(unary, "proto")}content-length: 9\r\n\r\nab`],
  ["half a body of JSON", `${head(unary, "json")}content-length: 9\r\n\r\n{"`],
  ["half a body of no method", `${head("/x", "proto")}content-length: 9\r\n\r\nab`],
  ["a stream that pauses", `${head(streamed, "connect+proto")}content-length: 9\r\n\r\nab`],
  ["three bytes of HTTP/2", "PRI"],
  ["HTTP/2 without settings", preface],
  ["half a frame", Buffer.concat([preface, settings, headers.subarray(0, 4)])],
  ["half a head over HTTP/2", Buffer.concat([preface, settings, headers])],
])("a connection ends whose client sends %s", async (_what, bytes) => {
  const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
});

it.concurrent("a stream of an unauthenticated client ends with its refusal, not at its time limit", async () => {
  const startedMs = performance.now();
  const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.write(`${head(streamed, "connect+proto", "")}content-length: 9\r\n\r\nab`);
  await new Promise((resolve) => socket.once("close", resolve));
  expect(performance.now() - startedMs).toBeLessThan(times.streamMs);
});

it.concurrent("a body that comes byte by byte ends its connection", async () => {
  const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined).resume();
  socket.write(`${head(unary, "proto")}content-length: 999\r\n\r\n`);
  const sending = setInterval(() => socket.write("a"), 20);
  await closed.finally(() => clearInterval(sending));
});

it.concurrent("a session with half of a head ends, however many other frames came before", async () => {
  const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined).resume();
  socket.write(Buffer.concat([preface, settings, headers]));
  // CONTINUATION frames without an end, of one byte each.
  const more = Buffer.from([0, 0, 1, 9, 0, 0, 0, 0, 1, 0x83]);
  const sending = setInterval(() => socket.write(more), 20);
  await closed.finally(() => clearInterval(sending));
});

function ask(session: ClientHttp2Session, path: string) {
  const known = { authorization: token };
  const kind = { ":method": "POST", "content-type": "application/json" };
  return session.request({ ":path": path, ...kind, ...known }).on("error", () => undefined);
}

it.concurrent("an HTTP/2 stream without its body ends alone; the session goes on for longer", async () => {
  const session = connectHttp2(server.url);
  const half = ask(session, unary);
  half.write("{");
  await new Promise((resolve) => half.once("close", resolve));
  const whole = ask(session, unary);
  whole.end("{}");
  const status = await new Promise((resolve) =>
    whole.once("response", (answer) => resolve(answer[":status"])),
  );
  expect(status).toBe(200);
  session.destroy();
});

it("an HTTP/2 session outlives a standstill of this process", async () => {
  const session = connectHttp2(server.url);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const until = performance.now() + 5 * times.checkEveryMs;
  while (performance.now() < until);
  await pause(5 * times.checkEveryMs);
  expect(session.destroyed).toBe(false);
  session.destroy();
});

it.concurrent.each(["1.1", "2"] as const)(
  "serves what takes long over HTTP/%s",
  async (httpVersion) => {
    const interceptors = [sendIdentity(caller, "compliance")];
    const transport = createConnectTransport({ baseUrl: server.url, httpVersion, interceptors });
    const client = createClient(ComplianceService, transport);
    expect(await client.listLists({})).toMatchObject({ lists: [] });
    async function* parts() {
      const empty = { part: { case: "lines" as const, value: new Uint8Array() } };
      yield empty;
      await pause(longMs);
      yield empty;
    }
    expect((await client.importList(parts())).version?.version).toBe("2 parts");
  },
);
