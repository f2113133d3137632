import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Binary } from "mongodb";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { DeliveryOrder } from "../../endpoints/rules/endpoint.ts";
import { eventDocument } from "../../events/documents.ts";
import { openEventStore } from "../../events/store.ts";
import { migrations } from "../../migrations.ts";
import { type DeliveryDocument, firstDelivery } from "../documents.ts";
import { withoutBound } from "../rules/order.ts";
import { openDeliveryStore } from "../store.ts";
import { openOrderStore } from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
const day = 86_400;

const database = await migratedDatabase("order", migrations);
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
const [events, deliveries] = [openEventStore(database), openDeliveryStore(database)];
const { collection } = deliveries;
let order: ReturnType<typeof openOrderStore>;
beforeEach(async () => {
  order = openOrderStore(deliveries, events);
  await Promise.all([collection.deleteMany({}), events.collection.deleteMany({})]);
});

type Of = Partial<Record<"endpoint" | "type" | "transaction", string>> & {
  readonly order?: DeliveryOrder;
  readonly createdAt?: Date;
};

/** The first delivery of a transaction's event, created at `createdAt`. */
function deliveryOf(sequence: number, of: Of = {}, changes: Partial<DeliveryDocument> = {}) {
  const { endpoint = "whe_1", type = "payout_session", transaction = "po_1" } = of;
  const event = {
    ...{ merchant_id: "mer_1", event_id: `${transaction}_${sequence}`, status: "initiated" },
    ...{ transaction_type: type, transaction_id: transaction, sequence },
    ...{ body: new Binary(Buffer.from("{}")), received_at: of.createdAt ?? now },
  };
  return { ...firstDelivery(event, endpoint, of.order ?? "bounded"), ...changes };
}

const insert = (...some: readonly DeliveryDocument[]) => collection.insertMany([...some]);
const stored = async (...some: readonly DeliveryDocument[]) => {
  const found = await collection.find().toArray();
  return some.map(({ _id }) => found.find((each) => each._id === _id));
};
/** The same delivery released and due. */
const freed = ({ recheck_at: _none, ...each }: DeliveryDocument, at = now): DeliveryDocument => ({
  ...{ ...each, held: false, due_at: at, next_attempt_at: at },
});
const ended = { state: "delivered", due_at: null, next_attempt_at: null } as const;

/** Stores an event for these endpoints, without deliveries. */
async function arrive(sequence: number, endpoints: string[], receivedAt = now, merchant = "mer_1") {
  const event = {
    ...{ eventId: `po_1_${sequence}`, merchantId: merchant, transactionType: "payout_session" },
    ...{ transactionId: "po_1", status: "initiated", sequence, occurredAt: receivedAt },
    body: Buffer.from("{}"),
  };
  await events.collection.insertOne(eventDocument(event, endpoints, receivedAt));
}

describe("a release", () => {
  it("releases deliveries of these ordering keys that need not wait, and no others", async () => {
    const other = { transaction: "po_2" };
    const [first, second, third] = [deliveryOf(1, {}, ended), deliveryOf(2), deliveryOf(3)];
    // A redelivery has no place in the order.
    const again = deliveryOf(1, {}, { _id: "again", replay: 1 });
    const elsewhere = [deliveryOf(1, other, ended), deliveryOf(2, other)];
    await insert(first, second, third, again, ...elsewhere);
    expect(await order.release([second.line], after(5))).toEqual(new Set(["whe_1"]));
    const expected = [first, freed(second, after(5)), third, again, ...elsewhere];
    expect(await stored(...expected)).toEqual(expected);
    expect(await order.release([second.line, "none"], after(6))).toEqual(new Set());
    expect(await order.release([], after(6))).toEqual(new Set());
    expect(await stored(...expected)).toEqual(expected);
  });

  it("changes no delivery that was leased meanwhile", async () => {
    const [first, second] = [deliveryOf(1, {}, ended), deliveryOf(2)];
    await insert(first, second);
    const leased = { held: false, due_at: after(30), lease: { token: "t", place: "here:1" } };
    const bulkWrite = collection.bulkWrite.bind(collection);
    vi.spyOn(collection, "bulkWrite").mockImplementationOnce(async (...args) => {
      await collection.updateOne({ _id: second._id }, { $set: leased });
      return bulkWrite(...args);
    });
    await order.release([second.line], after(5));
    expect(await stored(second)).toEqual([{ ...second, ...leased }]);
  });

  it("shortens a wait when the previous event has arrived, except in strict order", async () => {
    const refund = { type: "refund", transaction: "rf_1" };
    const bounded = deliveryOf(2, refund, { due_at: after(5), next_attempt_at: after(5) });
    const strict = { ...refund, endpoint: "whe_2", order: "strict" } as const;
    const waiting = deliveryOf(2, strict);
    const [unbounded, early] = [
      deliveryOf(3, strict),
      { due_at: after(5), next_attempt_at: after(5) },
    ];
    await insert(deliveryOf(1, refund), bounded, deliveryOf(1, strict), waiting, {
      ...unbounded,
      ...early,
    });
    expect(await order.release([bounded.line, waiting.line], now)).toEqual(new Set());
    const until = { due_at: after(30), next_attempt_at: after(30) };
    const expected = [{ ...bounded, ...until }, waiting, unbounded];
    expect(await stored(...expected)).toEqual(expected);
  });
});

it("releases deliveries that a crashed process should have released", async () => {
  const of = { endpoint: "whe_2", order: "strict" } as const;
  const lines = [
    deliveryOf(1, {}, ended),
    deliveryOf(2),
    deliveryOf(1, of, ended),
    deliveryOf(2, of),
    deliveryOf(3, of),
  ];
  await insert(...lines);
  expect(await order.releaseLeft(after(5))).toEqual(new Set(["whe_1", "whe_2"]));
  expect(await stored(...lines)).toEqual([
    ...[lines[0], freed(lines[1]!, after(5)), lines[2], freed(lines[3]!, after(5)), lines[4]],
  ]);
});

describe("a recheck", () => {
  const strict = { order: "strict" } as const;
  const nothing = { freed: new Set(), givenUp: [], hasMore: false };

  it("is due for unbounded waits, and schedules the next one", async () => {
    const [due, later] = [
      deliveryOf(2, strict, { recheck_at: after(100) }),
      deliveryOf(2, { ...strict, transaction: "po_2" }, { recheck_at: after(101) }),
    ];
    await insert(due, later);
    expect(await order.recheck(after(99))).toEqual(nothing);
    expect(await order.recheck(after(100))).toEqual(nothing);
    expect(await stored(due, later)).toEqual([{ ...due, recheck_at: after(150) }, later]);
  });

  it("releases deliveries that need not wait, and returns those without a predecessor", async () => {
    const others = { ...strict, type: "refund", transaction: "rf_1", endpoint: "whe_2" };
    const alone = { ...others, endpoint: "whe_3" };
    const all = [
      ...[deliveryOf(1, strict, ended), deliveryOf(2, strict), deliveryOf(3, strict)],
      ...[deliveryOf(2, others), deliveryOf(4, alone)],
    ];
    const at = after(300);
    await insert(...all.map((each) => (each.held ? { ...each, recheck_at: at } : each)));
    const rechecked = await order.recheck(at);
    expect({ ...rechecked, givenUp: rechecked.givenUp.toSorted() }).toEqual({
      freed: new Set(["whe_1", "whe_2", "whe_3"]),
      givenUp: [all[3]!._id, all[4]!._id].toSorted(),
      hasMore: false,
    });
    const [first, second, third, ...gone] = all as [
      ...[DeliveryDocument, DeliveryDocument, DeliveryDocument],
    ];
    expect(await stored(...all)).toEqual([
      ...[first, freed(second, at), { ...third, recheck_at: after(450) }],
      ...gone.map((each) => freed(each, at)),
    ]);
  });

  it("drops a cancelled delivery when it is due", async () => {
    const gone = { state: "cancelled", held: false, due_at: null, next_attempt_at: null } as const;
    const due = deliveryOf(2, strict, { ...gone, recheck_at: after(100) });
    const later = deliveryOf(3, strict, { ...gone, recheck_at: after(101) });
    await insert(due, later);
    expect(await order.recheck(after(100))).toEqual(nothing);
    const { recheck_at: _none, ...forgotten } = due;
    expect(await stored(due, later)).toEqual([forgotten, later]);
  });

  it("covers two hundred at once, oldest first, and reports that there are more", async () => {
    const waiting = Array.from({ length: 201 }, (_each, at) =>
      deliveryOf(2, { ...strict, transaction: `po_${at}` }, { recheck_at: after(300 - at) }),
    );
    await insert(...waiting);
    expect(await order.recheck(after(300))).toEqual({ ...nothing, hasMore: true });
    const left = await collection.find({ recheck_at: { $lte: after(300) } }).toArray();
    expect(left).toEqual([waiting[0]]);
    expect(await order.recheck(after(300))).toEqual(nothing);
  });
});

describe("a new delivery", () => {
  it("waits for earlier ones, whether stored or inserted with it", async () => {
    const other = { endpoint: "whe_2" };
    await insert(deliveryOf(1), deliveryOf(1, other, ended));
    const all = [deliveryOf(2), deliveryOf(3), deliveryOf(2, other), deliveryOf(3, other)];
    expect(await order.placed(all)).toEqual([all[0], all[1], freed(all[2]!), all[3]]);
    const first = deliveryOf(1, { transaction: "po_2" });
    expect(await order.placed([first])).toEqual([first]);
  });

  it("waits according to its order, and no longer than necessary", async () => {
    const of = { type: "refund", transaction: "rf_1", createdAt: after(-9) };
    const [bounded, strict] = [
      deliveryOf(7, of),
      deliveryOf(7, { ...of, endpoint: "whe_2", order: "strict" }),
    ];
    const unseen = { due_at: after(-4), next_attempt_at: after(-4) };
    expect(await order.placed([bounded, strict])).toEqual([{ ...bounded, ...unseen }, strict]);
    expect(strict).toMatchObject({ due_at: withoutBound, recheck_at: after(21) });
  });

  it.each<[string, string[], Date, string, boolean]>([
    ["goes to its endpoint too", ["whe_1"], now, "mer_1", true],
    ["goes to another endpoint", ["whe_2"], now, "mer_1", false],
    ["is another merchant's", ["whe_2"], now, "mer_2", true],
    ["came less than 30 days before", ["whe_1"], after(-30 * day + 1), "mer_1", true],
    [
      "came 30 days before, so that its delivery may be deleted",
      ["whe_1"],
      after(-30 * day),
      "mer_1",
      false,
    ],
  ])("waits for an event that %s: %s", async (_what, to, receivedAt, merchant, waits) => {
    await arrive(1, to, receivedAt, merchant);
    const second = deliveryOf(2);
    expect(await order.placed([second])).toEqual([waits ? second : freed(second)]);
  });
});
