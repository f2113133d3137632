import { expect, it } from "vitest";
import { millisecondsText, shortName, waterfall } from "./waterfall.ts";

const span = (spanId: string, parentSpanId: string, startedUs: number, durationUs = 10) => ({
  ...{ spanId, parentSpanId, startedUs, durationUs },
});

it("nests spans under their parents, by start time", () => {
  const spans = [
    span("c", "a", 130),
    span("d", "b", 115, 200),
    span("a", "outside", 100),
    span("b", "a", 110),
  ];
  const { rows, wholeUs } = waterfall(spans);
  expect(rows.map(({ span: { spanId }, depth, offsetUs }) => [spanId, depth, offsetUs])).toEqual([
    ...[
      ["a", 0, 0],
      ["b", 1, 10],
      ["d", 2, 15],
      ["c", 1, 30],
    ],
  ]);
  expect(wholeUs).toBe(215);
});

it("shows a span with a missing or circular parent once, and nothing for no spans", () => {
  const spans = [span("a", "a", 0), span("b", "gone", 1), span("a", "a", 0)];
  expect(waterfall(spans).rows.map((row) => row.span.spanId)).toEqual(["a", "b"]);
  expect(waterfall([])).toEqual({ rows: [], wholeUs: 1 });
});

it.each([
  ["disburse.payout.v1.PayoutService/ExecutePayout", "PayoutService/ExecutePayout"],
  ["POST /api/v1/transfer/execute", "POST /api/v1/transfer/execute"],
  ["publish payout.initiated", "publish payout.initiated"],
])("shows %s as %s", (name, shown) => expect(shortName(name)).toBe(shown));

it("formats milliseconds", () => {
  expect([0, 49, 12_345].map(millisecondsText)).toEqual(["0.0", "0.0", "12.3"]);
});
