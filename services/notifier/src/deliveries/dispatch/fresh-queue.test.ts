import { expect, it } from "vitest";
import type { DeliveryDocument } from "../documents.ts";
import { createFreshQueue } from "./fresh-queue.ts";

const delivery = (endpointId: string, number: number) =>
  ({ _id: `${endpointId}_${number}`, endpoint_id: endpointId }) as DeliveryDocument;

it("limits each endpoint's share, so that a slow one leaves space for others", () => {
  const freshQueue = createFreshQueue();
  for (let number = 0; number < 600; number += 1) freshQueue.add(delivery("slow", number));
  freshQueue.add(delivery("well", 0));
  const admitted = () => freshQueue.admit(() => "now").map(({ endpoint_id: id }) => id);
  expect(admitted()).toEqual([...Array.from({ length: 16 }, () => "slow"), "well"]);
  freshQueue.add(delivery("slow", 1));
  expect(admitted()).toEqual(["slow"]);
});
