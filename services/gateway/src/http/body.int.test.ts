import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let key: string;
let reached = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
  key = (await gateway.merchant()).key;
  gateway.fakes.payout.executePayout = () => {
    reached += 1;
    return { payoutId: "po_1" };
  };
  gateway.fakes.notifier.redeliver = () => ({ delivery: { id: "whd_1" } });
});
afterAll(() => gateway.stop());

const path = "/api/v1/transfer/execute";
const padded = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;

it.each<[string, string | Buffer, Record<string, string>, number, string | undefined]>([
  ["64 KiB", padded(65_536), {}, 200, undefined],
  ["64 KiB and a byte", padded(65_537), {}, 413, "PAYLOAD_TOO_LARGE"],
  ["200 KB", padded(200_000), {}, 413, "PAYLOAD_TOO_LARGE"],
  ["3 MB", padded(3_000_000), {}, 413, "PAYLOAD_TOO_LARGE"],
  ["gzip", "{}", { "content-encoding": "gzip" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["plain text", "{}", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["no type", "{}", { "content-type": "" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  [
    "UTF-16",
    Buffer.from("{}", "utf16le"),
    { "content-type": "application/json; charset=utf-16" },
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  ["nothing", "", {}, 400, "INVALID_JSON"],
  ["half an object", '{"quote_id":', {}, 400, "INVALID_JSON"],
  ["NaN", '{"quote_id":NaN}', {}, 400, "INVALID_JSON"],
  ["trailing garbage", "{}{}", {}, 400, "INVALID_JSON"],
  ["a key twice", '{"quote_id":"a","quote_id":"b"}', {}, 400, "INVALID_JSON"],
  ["depth", "[".repeat(60_000), {}, 400, "INVALID_JSON"],
  ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, "INVALID_JSON"],
  ["two byte-order marks", "\ufeff\ufeff{}", {}, 400, "INVALID_JSON"],
  ["a byte-order mark within", "{\ufeff}", {}, 400, "INVALID_JSON"],
  ["a byte-order mark", '\ufeff{"quote_id":"q"}', {}, 200, undefined],
  ["an array", "[]", {}, 400, "INVALID_REQUEST"],
  ["null", "null", {}, 400, "INVALID_REQUEST"],
  ["a string", '"quote"', {}, 400, "INVALID_REQUEST"],
  ["a prototype", '{"__proto__":{"quote_id":"x"}}', {}, 200, undefined],
])("a body with %s", async (_what, body, headers, status, code) => {
  const before = reached;
  const reply = await gateway.ask({ path, key, body, headers });
  expect([reply.status, reply.json.code]).toEqual([status, code]);
  expect(reached - before).toBe(status === 200 ? 1 : 0);
});

it("tells where a body is no JSON", async () => {
  const reply = await gateway.ask({ path, key, body: '{\n  "quote_id": qt\n}' });
  expect(reply.json).toEqual({
    code: "INVALID_JSON",
    message: "Please check the request payload.",
    violations: [
      { field: "body", rule: "format", message: "is not valid JSON at line 2, column 15" },
    ],
  });
});

it("names the charset of a file, and the types of the route", async () => {
  const headers = { "content-type": "text/csv; charset=iso-8859-1" };
  const reply = await gateway.ask({ path: "/api/v1/transfer/batches", key, body: "a", headers });
  expect(reply.json).toEqual({
    code: "UNSUPPORTED_MEDIA_TYPE",
    message:
      "The request body must be application/json or text/csv in UTF-8, without content encoding. " +
      "Its charset is iso-8859-1, not UTF-8. " +
      "Send `Content-Type: application/json` or `Content-Type: text/csv`.",
  });
});

it("reads a body in chunks, and refuses one that grows past the limit", async () => {
  const headers = { "transfer-encoding": "chunked" };
  const ask = (body: string) => gateway.ask({ path, key, body, headers });
  expect((await ask('{"quote_id":"q"}')).status).toBe(200);
  expect((await ask(padded(70_000))).status).toBe(413);
});

it("accepts an absent body where none is needed, but no body that is not JSON", async () => {
  const redeliver = "/api/v1/webhooks/deliveries/whd_1/redeliver";
  const ask = (body?: string) =>
    gateway.ask({ method: "POST", path: redeliver, key, ...(body === undefined ? {} : { body }) });
  expect((await ask()).status).toBe(200);
  expect((await ask("{}")).status).toBe(200);
  expect((await ask("\ufeff{}")).status).toBe(200);
  expect((await ask("{")).json.code).toBe("INVALID_JSON");
});

it("checks the key before the body", async () => {
  const reply = await gateway.ask({ path, body: "{" });
  expect(reply.status).toBe(401);
});
