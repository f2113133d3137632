import { expect, it } from "vitest";
import { linesOf, readableLines } from "./readable-line.ts";

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
    ...{
      level: "error",
      time,
      service: "payout",
      rpc: "ExecutePayout",
      err,
      msg: "call failed with an internal error",
    },
  }).split("\n");
  expect(first).toMatch(/ERROR: payout: call failed with an internal error rpc=ExecutePayout$/);
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

const at = (second: number) => `2026-11-21T10:00:0${second}.000Z`;
const json = (second: number, request_id: string, service: string) =>
  JSON.stringify({ level: "info", time: at(second), service, request_id, msg: "rpc" });

async function* from(lines: readonly string[]) {
  yield* lines;
}

async function services(lines: readonly string[], id = "r-1") {
  return (await linesOf(from(lines), id)).map(({ service }) => service);
}

it("selects one request's lines of all services, in time order", async () => {
  const lines = [
    json(3, "r-1", "notifier"),
    json(1, "r-1", "gateway"),
    json(2, "r-10", "quote"),
    json(2, "r-1", "payout"),
    json(2, "r-1", "quote"),
  ];
  expect(await services(lines)).toEqual(["gateway", "payout", "quote", "notifier"]);
  expect(await services(lines, "r-10")).toEqual(["quote"]);
  expect(await services(lines, "r-2")).toEqual([]);
});

it.each(["payout_id", "record_id", "transaction_id"])("finds a record by %s", async (field) => {
  const line = { time: at(2), service: "payout", request_id: "r-7", [field]: "po_1" };
  const lines = [JSON.stringify(line), json(1, "po_1", "gateway"), json(1, "r-7", "quote")];
  expect(await services(lines, "po_1")).toEqual(["gateway", "payout"]);
});

it("skips the prefix of a container's log", async () => {
  const lines = [
    `disburse-gateway-1  | ${json(1, "r-1", "gateway")}`,
    `\u001b[36mpayout-1  | \u001b[0m${json(2, "r-1", "payout")}`,
    `2026-11-21T10:00:03.1Z ${json(3, "r-1", "quote")}`,
  ];
  expect(await services(lines)).toEqual(["gateway", "payout", "quote"]);
});

it.each([
  ["no JSON", "request r-1 came"],
  ["cut off", json(1, "r-1", "gateway").slice(0, -5)],
  ["another field with the id", JSON.stringify({ time: at(1), event_id: "r-1" })],
  ["no time", JSON.stringify({ request_id: "r-1" })],
])("leaves out a line with %s", async (_what, line) => {
  expect(await services([line, json(1, "r-1", "quote")])).toEqual(["quote"]);
});
