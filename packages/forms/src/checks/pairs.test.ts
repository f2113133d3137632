import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import { describe, expect, it } from "vitest";
import { executePayout } from "../bodies/transfer.ts";
import { metadataField } from "../fields/make.ts";
import { checkBody } from "./body.ts";
import { readBody } from "./read.ts";

const quote_id = "qt_1";

function checked(metadata: string) {
  const body = readBody(
    executePayout,
    parseExactJson(`{"quote_id":"qt_1","metadata":${metadata}}`),
  );
  return checkBody(executePayout, body.values, { now: new Date(), unreadable: body.unreadable });
}

const many = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_none, at) => [`k${at}`, "v"])));
const keyed = (length: number) => JSON.stringify({ ["k".repeat(length)]: "v" });
const valued = (length: number) => JSON.stringify({ k: "\u{1F389}".repeat(length) });

describe("metadata", () => {
  it.each([
    ['{"order":"1001"}', { order: "1001" }],
    ['{"order":"  1001\u00a0","empty":""}', { order: "1001", empty: "" }],
    [many(50), JSON.parse(many(50))],
    [keyed(40), JSON.parse(keyed(40))],
    [valued(500), JSON.parse(valued(500))],
  ])("%j is taken", (sent, metadata) => {
    expect(checked(sent)).toMatchObject({ values: { quote_id, metadata } });
  });

  it.each(["{}", "null"])("%s is none", (sent) => {
    expect(checked(sent)).toHaveProperty("values", { quote_id });
  });

  it.each([
    ...[many(51), keyed(41), valued(501)],
    ...["[]", '"a"', "7", "true", '{"a":1}', '{"a":null}', '{"a":["b"]}', '{"a":{}}'],
    ...['{"":"v"}', '{"a b":"v"}', '{"a[b]":"v"}', '{"__proto__":"v"}', '{"a":"b\\u0000"}'],
  ])("%j is refused", (sent) => {
    expect(checked(sent)).toEqual([{ field: "metadata", problem: metadataField.problem }]);
  });
});
