import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import {
  type Answered,
  expectError,
  expectNoInsides,
  expectQuietLogs,
  expectWorking,
  marker,
} from "./expectations.ts";
import { payerOf } from "./payer.ts";
import { connect, exchange, lastAnswer } from "./raw.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ LOG_LEVEL: "debug" });
});
afterAll(() => platform?.stop());

const answered: Answered[] = [];

function expectRefused(answer: Answered, status: number, code: string): void {
  answered.push(answer);
  expectError(answer, status, code);
}

describe("bytes on a socket", () => {
  const list = paths.payouts;
  const host = "Host: a\r\n";
  const close = "Connection: close\r\n\r\n";
  const get = (target: string, headers = "") =>
    `GET ${target} HTTP/1.1\r\n${host}${headers}${close}`;
  const send = (headers: string, body = "") =>
    `POST ${paths.fiat} HTTP/1.1\r\n${host}${headers}${close}${body}`;
  const many = (count: number) =>
    Array.from({ length: count }, (_header, at) => `x-${at}: ${marker}\r\n`).join("");
  const big = (bytes: number) => `X-A: ${marker}${"a".repeat(bytes)}\r\n`;

  it.each<[string, string | Buffer, number, string]>([
    ["both lengths", send("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"), 400, "REQUEST"],
    ["two lengths", send("Content-Length: 1\r\nContent-Length: 2\r\n", "{}"), 400, "REQUEST"],
    ["a length that is none", send(`Content-Length: ${marker}\r\n`), 400, "REQUEST"],
    ["no host", `GET ${list} HTTP/1.1\r\n${close}`, 400, "REQUEST"],
    ["two hosts", get(list, "Host: b\r\n"), 400, "REQUEST"],
    ["a folded header", get(list, `X-A: 1\r\n ${marker}\r\n`), 400, "REQUEST"],
    ["a space before the colon", get(list, `X-A : ${marker}\r\n`), 400, "REQUEST"],
    ["NUL in a header", get(list, `X-A: ${marker}\u0000\r\n`), 400, "REQUEST"],
    ["bare line feeds", `GET ${list} HTTP/1.1\nHost: a\n\n`, 400, "REQUEST"],
    [
      "an unknown method",
      `${marker.toUpperCase()} ${list} HTTP/1.1\r\n${host}${close}`,
      400,
      "REQUEST",
    ],
    ["a space in the path", get(`/api v1/${marker}`), 400, "REQUEST"],
    ["a bad chunk size", send("Transfer-Encoding: chunked\r\n", `${marker}\r\n`), 400, "REQUEST"],
    ["a TLS hello", Buffer.from("16030100c8010000c40303", "hex"), 400, "REQUEST"],
    ["noise", Buffer.from(`\x00\xff${marker}\r\n\r\n`, "latin1"), 400, "REQUEST"],
    ["HTTP/0.9", "GET /api/v1/transfer/payouts HTTP/0.9\r\nHost: a\r\n\r\n", 400, "REQUEST"],
    ["HTTP/0.9 without a version", "GET /healthz\r\n\r\n", 400, "REQUEST"],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "REQUEST"],
    ["9 KB in one header", get(list, big(9_000)), 431, "HEADERS_TOO_LARGE"],
    ["17 KB in one header", get(list, big(17_000)), 431, "HEADERS_TOO_LARGE"],
    ["300 headers", get(list, many(300)), 431, "HEADERS_TOO_LARGE"],
    ["2,000 headers", get(list, many(2_000)), 431, "HEADERS_TOO_LARGE"],
    ["TRACE", `TRACE ${list} HTTP/1.1\r\n${host}${close}`, 405, "METHOD_NOT_ALLOWED"],
    ["CONNECT", `CONNECT ${marker}:443 HTTP/1.1\r\n${host}${close}`, 405, "METHOD_NOT_ALLOWED"],
    ["an absolute target", get(`http://evil.example${list}`), 400, "REQUEST"],
    ["NUL in the path", get(`${list}/%00${marker}`), 400, "REQUEST"],
    ["a bad escape", get(`${list}/%zz${marker}`), 400, "REQUEST"],
    ["dots in the path", get("/api/v1/%2e%2e/keys"), 404, "ROUTE_NOT_FOUND"],
    [
      "gzip in chunks",
      send("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      501,
      "NOT_IMPLEMENTED",
    ],
  ])("%s", async (_what, bytes, status, code) => {
    const answer = lastAnswer(await exchange(platform.baseUrl, bytes));
    const text = answer.body;
    expectRefused(
      { status: answer.status, text },
      status,
      code === "REQUEST" ? "INVALID_REQUEST" : code,
    );
    expect(answer.head).toMatch(/\r\nx-request-id: \S+/);
    expect(answer.head).toContain("content-type: application/json");
  });

  it("slow headers and a slow body end with 408", async () => {
    const credentials = `Authorization: Bearer ${platform.apiKey("acme")}\r\n`;
    const type = "Content-Type: application/json\r\nContent-Length: 100\r\n";
    const head = `POST ${paths.fiat} HTTP/1.1\r\n${host}${credentials}${type}`;
    const answers = await Promise.all([
      exchange(platform.baseUrl, head),
      exchange(platform.baseUrl, `${head}\r\n{"beneficiary_first_name":"${marker}`),
    ]);
    for (const text of answers) {
      const answer = lastAnswer(text);
      const response = { status: answer.status, text: answer.body };
      expectRefused(response, 408, "REQUEST_TIMEOUT");
    }
  }, 30_000);

  it("callers who hang up in the middle leave nothing behind", async () => {
    const body = JSON.stringify({ ...bankBody(), beneficiary_first_name: marker });
    const credentials = `Authorization: Bearer ${platform.apiKey("acme")}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const whole = `POST ${paths.fiat} HTTP/1.1\r\n${host}${credentials}${type}\r\n${body}`;
    for (let at = 0; at < 20; at += 1) {
      const socket = await connect(platform.baseUrl);
      socket.on("error", () => socket.destroy());
      socket.write(whole.slice(0, Math.ceil((whole.length * (at + 1)) / 20)));
      await new Promise((resolve) => setImmediate(resolve));
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    expect((await fetch(`${platform.baseUrl}/healthz`)).status).toBe(200);
  });
});

describe("after all this", () => {
  it("no answer shows how we are made, and the platform works", async () => {
    await expectNoInsides(platform, answered);
    await expectWorking(payerOf(platform, "acme"));
  });

  it("no log has anything of what was sent", () => {
    expectQuietLogs(platform, [marker, platform.apiKey("acme")]);
  });
});
