import { expect, it } from "vitest";
import { readableLines } from "./readable-line.ts";

const readable = readableLines({ colors: false, dated: false });
const time = "2026-11-21T10:15:30.123Z";

it("shows time, level, service, event, request and fields on one line", () => {
  const line = readable({
    ...{ level: "info", time, service: "gateway", request_id: "r-1" },
    ...{ route: "POST /api/v1/transfer/rfq", status: 200, code: 'a"b', msg: "request" },
  });
  expect(line).toMatch(/^\[\d\d:\d\d:30\.123\] INFO: gateway: request \[r-1\] /);
  expect(line.endsWith(' route="POST /api/v1/transfer/rfq" status=200 code="a\\"b"\n')).toBe(true);
});

it("shows an error below its line, with stack and cause", () => {
  const cause = { type: "Error", message: "socket closed", stack: "Error: socket closed" };
  const err = { type: "MongoError", message: "no", stack: "MongoError: no\n    at insert", cause };
  const [first, ...below] = readable({
    ...{ level: "error", time, service: "payout", rpc: "ExecutePayout", err, msg: "rpc failed" },
  }).split("\n");
  expect(first).toMatch(/ERROR: payout: rpc failed rpc=ExecutePayout$/);
  expect(below.join("\n")).toMatch(/MongoError: no\n\s+at insert/);
  expect(below.join("\n")).toContain("socket closed");
});

it("gives a terminal no control characters that came in a line", () => {
  const wild = "\u001b[2J\nnext";
  const line = readable({
    ...{ level: "info", time, service: wild, request_id: wild, [wild]: wild, msg: wild },
  });
  expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]*$/);
});
