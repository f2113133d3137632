import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { createConnection, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let key: string;
/** Server side of the connections that carried requests. */
let sockets: Socket[] = [];
const note = (message: unknown) => {
  const { request } = message as { request: IncomingMessage };
  sockets.push(request.socket);
};
beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.fakes.payout.executePayout = () => ({ payoutId: "po_1" });
  key = (await gateway.merchant()).key;
  subscribe("http.server.request.start", note);
});
afterAll(async () => {
  unsubscribe("http.server.request.start", note);
  await gateway.stop();
});
beforeEach(() => {
  sockets = [];
});

const size = 8 * 1024 * 1024;
/** Buffers of the parser and of Node, which fill before any of our code reads a request. */
const readMax = 256 * 1024;
const execute = "/api/v1/transfer/execute";
const json = "Content-Type: application/json\r\n";
const chunk = Buffer.concat([
  Buffer.from("100000\r\n"),
  Buffer.alloc(0x100000),
  Buffer.from("\r\n"),
]);
const chunks = Buffer.concat([...Array<Buffer>(8).fill(chunk), Buffer.from("0\r\n\r\n")]);
const length = `Content-Length: ${size}\r\n`;
const unknown = `Authorization: Bearer dsb_test_\r\n`;

/** Sends a head and a body at once, and reads until the connection closes. */
function send(head: string, body: Buffer | string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve) => {
    let text = "";
    const socket = createConnection(Number(port), hostname);
    socket.on("data", (data: Buffer) => {
      text += data.toString();
    });
    // Its own writes fail once the other side has closed.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    socket.write(`${head.replace("\r\n", "\r\nHost: a\r\n")}\r\n`);
    socket.write(body);
  });
}

it.each<[string, string, Buffer, number]>([
  ["without a key", `POST ${execute} HTTP/1.1\r\n${json}${length}`, Buffer.alloc(size), 401],
  ["with a bad key", `POST ${execute} HTTP/1.1\r\n${json}${unknown}${length}`, chunks, 401],
  ["in chunks", `POST ${execute} HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n`, chunks, 401],
  ["for no route", `POST /api/v1/unknown HTTP/1.1\r\n${length}`, Buffer.alloc(size), 404],
  ["for a public page", `GET /healthz HTTP/1.1\r\n${length}`, Buffer.alloc(size), 200],
  ["for a page's head", `HEAD /docs HTTP/1.1\r\n${length}`, Buffer.alloc(size), 200],
  ["for a probe, by POST", `POST /healthz HTTP/1.1\r\n${length}`, Buffer.alloc(size), 405],
  [
    "with a wrong host",
    `POST ${execute} HTTP/1.1\r\nHost: b\r\n${length}`,
    Buffer.alloc(size),
    400,
  ],
])("does not read 8 MiB %s", async (_what, head, body, status) => {
  const answer = await send(head, body);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer.toLowerCase()).toContain("connection: close");
  expect(sockets).toHaveLength(1);
  expect(sockets[0]?.bytesRead).toBeLessThan(readMax);
});

it("keeps the connection of a short body that it does not read", async () => {
  const first = `POST ${execute} HTTP/1.1\r\nHost: a\r\n${json}Content-Length: 2\r\n\r\n{}`;
  const both = await gateway.raw(`${first}${first.replace(json, `${json}Connection: close\r\n`)}`);
  expect(both.match(/HTTP\/1\.1 401 /g)).toHaveLength(2);
});

it("requests a body only when its sender and length are known", async () => {
  const post = (headers: string) =>
    send(`POST ${execute} HTTP/1.1\r\n${json}Expect: 100-continue\r\n${headers}`, "");
  const bearer = `Authorization: Bearer ${key}\r\n`;
  expect(await post("Content-Length: 2\r\n")).toMatch(/^HTTP\/1\.1 401 /);
  expect(await post(`${bearer}${length}`)).toMatch(/^HTTP\/1\.1 413 /);
  const pending = gateway.ask({
    ...{ path: execute, key, body: '{"quote_id":"q"}' },
    headers: { expect: "100-continue" },
  });
  expect((await pending).status).toBe(200);
  const head = `POST ${execute} HTTP/1.1\r\n${json}${bearer}Expect: 100-continue\r\n`;
  const text = await send(`${head}Connection: close\r\nContent-Length: 2\r\n`, "{}");
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

it("answers a client that sends its whole body before it reads", async () => {
  for (const path of [execute, "/api/v1/unknown"]) {
    const reply = await gateway.ask({ path, body: "x".repeat(size) });
    expect([reply.status, reply.headers.connection]).toEqual([
      path === execute ? 401 : 404,
      "close",
    ]);
  }
});
