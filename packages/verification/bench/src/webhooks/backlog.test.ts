import { fromBinary } from "@bufbuild/protobuf";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { expect, test } from "vitest";
import { createArrivals } from "./backlog.ts";
import { readRefundId, refundIdOf, refundMessage } from "./events.ts";

test("keeps the first webhook of each event, and counts duplicates and misrouted ones", () => {
  const arrivals = createArrivals(100);
  const arrive = (run: string, number: number, endpoint: number, atMs: number) =>
    arrivals.add(refundIdOf({ run, number }), endpoint, atMs);
  arrive("a", 101, 1, 50);
  arrive("a", 2, 2, 40);
  arrive("a", 2, 2, 60);
  arrive("b", 3, 4, 70);
  arrivals.add("po_1", 0, 1);
  expect([...arrivals.of("a")]).toEqual([
    [101, 50],
    [2, 40],
  ]);
  expect(arrivals.of("b").size).toBe(1);
  expect(arrivals.of("c").size).toBe(0);
  expect(arrivals.faults).toEqual({ duplicates: 1, misrouted: 1 });
});

test("a refund's id names its run and its number", () => {
  const name = { run: "backlog", number: 17 };
  expect(readRefundId(refundIdOf(name))).toEqual(name);
  expect(readRefundId("rf_01kah0m3sg7z8x9c2v4b6n8m0q")).toBeUndefined();
});

test("a webhook's body has 1 kB", () => {
  const { body } = refundMessage({ run: "a", number: 12_345 }, "mer_1");
  const { dataJson: data } = fromBinary(MerchantEventSchema, body);
  expect(JSON.parse(data)).toMatchObject({ id: "rf_a_12345", merchant_id: "mer_1" });
  const frame = `{"transaction_type":"refund","transaction_id":"rf_a_12345","data":${data}}`;
  expect(frame.length).toBe(1_024);
});
