import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({}, { headersMs: 300, requestMs: 600, checkEveryMs: 50 });
  key = (await gateway.merchant()).key;
});
afterAll(() => gateway.stop());

/** Parses the first response on a connection: status, headers, and its body as JSON. */
function read(text: string) {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  return {
    status: Number(head.split(" ")[1]),
    head: head.toLowerCase(),
    json: body === "" ? {} : (JSON.parse(body) as { code?: string; message?: string }),
  };
}

const list = "/api/v1/transfer/payouts";
const close = "Connection: close\r\n\r\n";
const host = "Host: a\r\n";
const get = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\n${host}${headers}${close}`;
const post = (headers: string, body = "") =>
  `POST ${list} HTTP/1.1\r\n${host}${headers}${close}${body}`;
const tlsHello = Buffer.from("16030100c8010000c40303", "hex");
const manyHeaders = (count: number) =>
  Array.from({ length: count }, (_header, at) => `x-${at}: 1\r\n`).join("");

describe("bytes on a socket", () => {
  it.each<[string, string | Buffer, number, string]>([
    [
      "both lengths",
      post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"),
      400,
      "INVALID_REQUEST",
    ],
    [
      "two lengths",
      get(list, "Content-Length: 1\r\nContent-Length: 2\r\n"),
      400,
      "INVALID_REQUEST",
    ],
    ["no host", `GET ${list} HTTP/1.1\r\n${close}`, 400, "INVALID_REQUEST"],
    ["two hosts", get(list, "Host: b\r\n"), 400, "INVALID_REQUEST"],
    ["a folded header", get(list, "X-A: 1\r\n 2\r\n"), 400, "INVALID_REQUEST"],
    ["a space before the colon", get(list, "X-A : 1\r\n"), 400, "INVALID_REQUEST"],
    ["NUL in a header", get(list, "X-A: \u0000\r\n"), 400, "INVALID_REQUEST"],
    ["bare line feeds", `GET ${list} HTTP/1.1\nHost: a\n\n`, 400, "INVALID_REQUEST"],
    ["an unknown method", `FETCH ${list} HTTP/1.1\r\n${host}${close}`, 400, "INVALID_REQUEST"],
    ["a space in the path", get("/api v1"), 400, "INVALID_REQUEST"],
    ["a bad chunk size", post("Transfer-Encoding: chunked\r\n", "zz\r\n"), 400, "INVALID_REQUEST"],
    ["HTTP/0.9 without a version", `GET ${list}\r\n\r\n`, 400, "INVALID_REQUEST"],
    ["HTTP/0.9", `GET ${list} HTTP/0.9\r\n${host}${close}`, 400, "INVALID_REQUEST"],
    ["HTTP/0.9 of a probe", `GET /healthz HTTP/0.9\r\n${host}${close}`, 400, "INVALID_REQUEST"],
    [
      "a version that there is not",
      `GET ${list} HTTP/2.0\r\n${host}${close}`,
      400,
      "INVALID_REQUEST",
    ],
    ["a TLS hello", tlsHello, 400, "INVALID_REQUEST"],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "INVALID_REQUEST"],
    ["8 KB in one header", get(list, `X-A: ${"a".repeat(8_000)}\r\n`), 401, "UNAUTHENTICATED"],
    ["9 KB in one header", get(list, `X-A: ${"a".repeat(9_000)}\r\n`), 431, "HEADERS_TOO_LARGE"],
    ["17 KB in one header", get(list, `X-A: ${"a".repeat(17_000)}\r\n`), 431, "HEADERS_TOO_LARGE"],
    ["300 headers", get(list, manyHeaders(300)), 431, "HEADERS_TOO_LARGE"],
    ["2,000 headers", get(list, manyHeaders(2_000)), 431, "HEADERS_TOO_LARGE"],
    ["a host that is none", get(list, "").replace(host, "Host: [\r\n"), 401, "UNAUTHENTICATED"],
    ["a fragment", get("//a@[#"), 400, "INVALID_REQUEST"],
    ["a path beyond ASCII", get("/\xe4"), 400, "INVALID_REQUEST"],
    ["TRACE", `TRACE ${list} HTTP/1.1\r\n${host}${close}`, 405, "METHOD_NOT_ALLOWED"],
    ["CONNECT", `CONNECT a:443 HTTP/1.1\r\n${host}${close}`, 405, "METHOD_NOT_ALLOWED"],
    ["an absolute target", get(`http://evil.example${list}`), 400, "INVALID_REQUEST"],
    ["a target that is no path", get("*"), 400, "INVALID_REQUEST"],
    ["NUL in the path", get(`${list}/%00`), 400, "INVALID_REQUEST"],
    ["a bad escape", get(`${list}/%zz`), 400, "INVALID_REQUEST"],
    ["dots in the path", get("/api/v1/%2e%2e/keys"), 404, "ROUTE_NOT_FOUND"],
    ["two slashes", get("//api/v1/transfer/payouts"), 404, "ROUTE_NOT_FOUND"],
    [
      "gzip in chunks",
      post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      501,
      "NOT_IMPLEMENTED",
    ],
    ["gzip alone", post("Transfer-Encoding: gzip\r\n"), 400, "INVALID_REQUEST"],
    ["an expectation", get(list, "Expect: the-spanish-inquisition\r\n"), 417, "EXPECTATION_FAILED"],
    ["slow headers", `GET ${list} HTTP/1.1\r\nHost:`, 408, "REQUEST_TIMEOUT"],
  ])("%s", async (_what, bytes, status, code) => {
    const answer = read(await gateway.raw(bytes));
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(Object.keys(answer.json).slice(0, 2)).toEqual(["code", "message"]);
    expect(answer.head).toMatch(/\r\nx-request-id: \S+/);
    expect(answer.head).toContain("content-type: application/json");
    expect(answer.head).toContain("cache-control: no-store");
  });

  const slowBody =
    `POST /api/v1/transfer/rfq HTTP/1.1\r\n${host}Content-Type: application/json\r\n` +
    "Content-Length: 10\r\n";

  it("answers a slow body with 408 and logs no error", async () => {
    const credentials = `Authorization: Bearer ${key}\r\nX-Request-Id: slow-body\r\n\r\n`;
    const answer = read(await gateway.raw(`${slowBody}${credentials}{`));
    expect([answer.status, answer.json.code]).toEqual([408, "REQUEST_TIMEOUT"]);
    await expect.poll(() => linesOf("slow-body")).toEqual(["info request"]);
  });

  it("survives a caller that disconnects in the middle", async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = createConnection(Number(port), hostname);
    const head = `${slowBody}Authorization: Bearer ${key}\r\nX-Request-Id: gone\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.destroy();
    await expect.poll(() => linesOf("gone")).toEqual(["info request"]);
  });

  it("lives through a CONNECT whose caller is gone", async () => {
    const logged = () => gateway.logLines.filter(({ fields }) => isRefusedConnect(fields)).length;
    const before = logged();
    const { hostname, port } = new URL(gateway.url);
    const socket = createConnection(Number(port), hostname);
    await new Promise((resolve) => socket.write(`CONNECT a:1 HTTP/1.1\r\n${host}\r\n`, resolve));
    socket.resetAndDestroy();
    await expect.poll(logged).toBe(before + 1);
    expect(await gateway.raw(get("/healthz"))).toMatch(/^HTTP\/1\.1 200 /);
  });

  function isRefusedConnect(fields: object) {
    return "code" in fields && fields.code === "METHOD_NOT_ALLOWED";
  }

  function linesOf(requestId: string) {
    const its = gateway.logLines.filter(
      ({ fields }) => "request_id" in fields && fields.request_id === requestId,
    );
    return its.map(({ level, event }) => `${level} ${event}`);
  }

  it("does not let a broken request answer for the one before it", async () => {
    gateway.fakes.payout.listAccounts = () => ({ accounts: [] });
    const credentials = `Authorization: Bearer ${key}\r\n\r\n`;
    const good = `GET /api/v1/transfer/accounts HTTP/1.1\r\n${host}${credentials}`;
    const both = await gateway.raw(`${good}\u0000broken\r\n\r\n`);
    const [first = "", second = ""] = both.split(/(?=HTTP\/1\.1 )/);
    expect(read(first)).toMatchObject({ status: 200 });
    expect(read(second)).toMatchObject({ status: 400 });
  });
});
