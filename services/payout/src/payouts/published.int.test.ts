import { fromBinary, toJson } from "@bufbuild/protobuf";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { type Payouts, type StoredStep, toPayout } from "./document.ts";
import { pendingEvent } from "./pending-event.ts";
import { listPublished, republished } from "./published.ts";
import { openPayouts } from "./store.ts";
import { after, claimedAt, storedPayout } from "./test-documents.ts";

let database: Database;
let payouts: Payouts;
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
  payouts = openPayouts(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const published = (_id: string, seconds: number) =>
  storedPayout({ _id, published_at: after(seconds), outbox: [] });

it("what was published in a span is in pages of any size, by time and then by id", async () => {
  // An index that has no order of ids.
  const plain: Payouts = database.db.collection("payouts_by_time");
  await plain.createIndex({ published_at: 1 }, { name: "published" });
  await plain.insertMany([
    published("po_c", 2),
    published("po_late", 4),
    published("po_b", 2),
    published("po_d", 3.999),
    published("po_a", 2),
    published("po_0", 2.5),
    published("po_early", 0.999),
    published("po_z", 1),
    storedPayout({ _id: "po_pending" }),
  ]);
  const span = { from: after(1), to: after(4) };
  for (const limit of [1, 2, 3, 10]) {
    const seen: string[] = [];
    let last: { at: Date; id: string } | undefined;
    for (;;) {
      const page = await listPublished(plain, span, { after: last, limit });
      seen.push(...page.map(({ id }) => id));
      const end = page.at(-1);
      if (end === undefined) break;
      last = { at: end.publishedAt, id: end.id };
    }
    expect(seen.join(" ")).toBe("po_z po_a po_b po_c po_0 po_d");
  }
  const earlier = { after: { at: after(0), id: "po_early" }, limit: 1 };
  expect(await listPublished(plain, span, earlier)).toEqual([
    {
      ...{ id: "po_z", merchantId: "mer_1", createdAt: claimedAt, publishedAt: after(1) },
      versions: [1],
    },
  ]);
});

it("an event that was not kept is made again as of its own version", async () => {
  const step = (stage: StoredStep["stage"], version: number, seconds: number): StoredStep => ({
    ...{ stage, version, at: after(seconds), cause: "settled", detail: "" },
  });
  const document = storedPayout({
    journal: [step("queued", 1, 0), step("settled", 2, 5), step("returning", 2, 9)],
    ...{ outbox: [], version: 2, progress: { stage: "returning", reference: "R" } },
    ...{ status: "succeeded", updated_at: after(9), request_id: "req-1" },
  });
  await payouts.insertOne(document);
  const [first, second] = [eventId(document._id, 1), eventId(document._id, 2)];
  const found = await republished(payouts, [second, first, eventId(document._id, 3)]);
  const told = found.map(({ body, ...message }) => {
    const { occurredAt, payout } = toJson(
      PayoutStatusChangedSchema,
      fromBinary(PayoutStatusChangedSchema, body),
    );
    return { ...message, occurredAt, status: payout?.subStatus, updatedAt: payout?.updatedAt };
  });
  const origin = { request_id: "req-1" };
  const times = (at: string) => ({ occurredAt: at, updatedAt: at });
  expect(told).toEqual([
    {
      ...{ id: first, key: "payout.initiated", origin, ...times("2026-03-01T10:00:00Z") },
      status: "PAYOUT_SUB_STATUS_QUEUED",
    },
    {
      ...{ id: second, key: "payout.succeeded", origin, ...times("2026-03-01T10:00:05Z") },
      status: "PAYOUT_SUB_STATUS_SETTLED",
    },
  ]);
  const settled = { ...toPayout(document), updatedAt: after(5) };
  expect(found[1]?.body).toEqual(pendingEvent(settled).body.value());
});

it("the first event of a payout that needed approval is made again as one that waits for it", async () => {
  const step = (stage: StoredStep["stage"], seconds: number): StoredStep => ({
    ...{ stage, version: 1, at: after(seconds), cause: "executed", detail: "" },
  });
  const document = storedPayout({
    journal: [step("awaiting_approval", 0), step("queued", 5)],
    ...{ outbox: [], approval: { reasons: ["amount"], digest: "d", expires_at: after(60) } },
  });
  await payouts.insertOne(document);
  const [event] = await republished(payouts, [eventId(document._id, 1)]);
  const { payout } = fromBinary(PayoutStatusChangedSchema, event?.body ?? new Uint8Array());
  expect(payout?.subStatus).toBe(PayoutSubStatus.AWAITING_APPROVAL);
  expect(payout?.approval).toBeUndefined();
});
