import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { type BulkWriteResult, type Collection, MongoBulkWriteError } from "mongodb";
import { expect, it, vi } from "vitest";
import type { DeliveryDocument } from "./documents.ts";
import { makeRedeliveries } from "./redelivery-store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const change: Change = { operationId: "op-1", actor: { kind: "service", id: "test" } };
const source = { merchant_id: "mer_1", endpoint_id: "whe_1", event_id: "evt_1" };

/** Simulates concurrent redeliveries that take every number, this many times. */
async function numbersTaken(often: number) {
  const error = { code: 11_000, message: "E11000", writeErrors: [{ code: 11_000, index: 0 }] };
  const taken = new MongoBulkWriteError(error as never, {} as BulkWriteResult);
  const insertMany = vi.fn().mockResolvedValue(undefined);
  for (let at = 0; at < often; at += 1) insertMany.mockRejectedValueOnce(taken);
  const none = { toArray: async () => [] };
  const deliveries = { find: () => none, aggregate: () => none, insertMany };
  const redeliveries = [{ source: source as DeliveryDocument, change }];
  const created = makeRedeliveries(
    deliveries as unknown as Collection<DeliveryDocument>,
    redeliveries,
    now,
  );
  return created.then(
    () => insertMany.mock.calls.length,
    ({ message }: Error) => message,
  );
}

it.each([
  [0, 1],
  [4, 5],
  [5, "every attempt to insert a redelivery found its number taken"],
])("tries five numbers for a redelivery: %i are taken meanwhile", async (often, ended) => {
  expect(await numbersTaken(often)).toBe(ended);
});
