import { expect, test } from "vitest";
import { figuresOf } from "./delivery-figures.ts";

const created = "2026-11-30T10:00:00.000Z";
const delivery = (state: "delivered" | "exhausted" | "pending", ms: number) => {
  const updated = new Date(Date.parse(created) + ms).toISOString();
  return { state, created_at: created, updated_at: updated };
};

test("counts only ended deliveries, and measures only delivered ones", () => {
  const deliveries = [300, 100, 200].map((ms) => delivery("delivered", ms));
  deliveries.push(delivery("exhausted", 9_000), delivery("pending", 9_000));
  expect(figuresOf(deliveries)).toEqual({
    ...{ ended: 4, delivered: 3 },
    ...{ medianMs: 200, slowMs: 300 },
  });
  expect(figuresOf([])).toMatchObject({ ended: 0, medianMs: undefined });
});
