import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { expect, it } from "vitest";
import { messageBytesMax, requestBytesMax } from "./unary-message.ts";

it("a request may be as large as its contract says, 4 MiB where that says nothing", () => {
  const { createBatch, getBatch } = PayoutOrderService.method;
  expect(requestBytesMax(createBatch)).toBe(16 * 1024 * 1024);
  expect(requestBytesMax(getBatch)).toBe(messageBytesMax);
});
