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
function made(sequence: number, of: Of = {}, changes: Partial<DeliveryDocument> = {}) {
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
  it("frees of these ordering keys what need not wait any more, and nothing else", async () => {
    const other = { transaction: "po_2" };
    const [first, second, third] = [made(1, {}, ended), made(2), made(3)];
    // A redelivery has no place in the order.
    const again = made(1, {}, { _id: "again", replay: 1 });
    const elsewhere = [made(1, other, ended), made(2, other)];
    await insert(first, second, third, again, ...elsewhere);
    expect(await order.release([second.line], after(5))).toEqual(new Set(["whe_1"]));
    const expected = [first, freed(second, after(5)), third, again, ...elsewhere];
    expect(await stored(...expected)).toEqual(expected);
    expect(await order.release([second.line, "none"], after(6))).toEqual(new Set());
    expect(await order.release([], after(6))).toEqual(new Set());
    expect(await stored(...expected)).toEqual(expected);
  });

  it("changes nothing of a delivery that was leased meanwhile", async () => {
    const [first, second] = [made(1, {}, ended), made(2)];
    await insert(first, second);
    const leased = { held: false, due_at: after(30), lease: { token: "t", place: "here:1" } };
    const bulkWrite = collection.bulkWrite.bind(collection);
    vi.spyOn(collection, "bulkWrite").mockImplementationOnce(async (...asked) => {
      await collection.updateOne({ _id: second._id }, { $set: leased });
      return bulkWrite(...asked);
    });
    await order.release([second.line], after(5));
    expect(await stored(second)).toEqual([{ ...second, ...leased }]);
  });

  it("bounds a wait anew where the event before has come, strict ones excepted", async () => {
    const refund = { type: "refund", transaction: "rf_1" };
    const bounded = made(2, refund, { due_at: after(5), next_attempt_at: after(5) });
    const strict = { ...refund, endpoint: "whe_2", order: "strict" } as const;
    const waiting = made(2, strict);
    const [unbounded, early] = [made(3, strict), { due_at: after(5), next_attempt_at: after(5) }];
    await insert(made(1, refund), bounded, made(1, strict), waiting, { ...unbounded, ...early });
    expect(await order.release([bounded.line, waiting.line], now)).toEqual(new Set());
    const until = { due_at: after(30), next_attempt_at: after(30) };
    const expected = [{ ...bounded, ...until }, waiting, unbounded];
    expect(await stored(...expected)).toEqual(expected);
  });
});

it("frees what a crashed process should have freed, of every ordering key", async () => {
  const of = { endpoint: "whe_2", order: "strict" } as const;
  const lines = [made(1, {}, ended), made(2), made(1, of, ended), made(2, of), made(3, of)];
  await insert(...lines);
  expect(await order.releaseLeft(after(5))).toEqual(new Set(["whe_1", "whe_2"]));
  expect(await stored(...lines)).toEqual([
    ...[lines[0], freed(lines[1]!, after(5)), lines[2], freed(lines[3]!, after(5)), lines[4]],
  ]);
});

describe("a recheck", () => {
  const strict = { order: "strict" } as const;
  const nothing = { freed: new Set(), givenUp: [], hasMore: false };

  it("is due for what waits without bound, and sets the next one", async () => {
    const [due, later] = [
      made(2, strict, { recheck_at: after(100) }),
      made(2, { ...strict, transaction: "po_2" }, { recheck_at: after(101) }),
    ];
    await insert(due, later);
    expect(await order.recheck(after(99))).toEqual(nothing);
    expect(await order.recheck(after(100))).toEqual(nothing);
    expect(await stored(due, later)).toEqual([{ ...due, recheck_at: after(150) }, later]);
  });

  it("frees what need not wait, and names what goes without the one before it", async () => {
    const others = { ...strict, type: "refund", transaction: "rf_1", endpoint: "whe_2" };
    const alone = { ...others, endpoint: "whe_3" };
    const all = [
      ...[made(1, strict, ended), made(2, strict), made(3, strict)],
      ...[made(2, others), made(4, alone)],
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

  it("forgets what was cancelled when its time comes", async () => {
    const gone = { state: "cancelled", held: false, due_at: null, next_attempt_at: null } as const;
    const due = made(2, strict, { ...gone, recheck_at: after(100) });
    const later = made(3, strict, { ...gone, recheck_at: after(101) });
    await insert(due, later);
    expect(await order.recheck(after(100))).toEqual(nothing);
    const { recheck_at: _none, ...forgotten } = due;
    expect(await stored(due, later)).toEqual([forgotten, later]);
  });

  it("takes two hundred at once, the oldest first, and says that there are more", async () => {
    const waiting = Array.from({ length: 201 }, (_each, at) =>
      made(2, { ...strict, transaction: `po_${at}` }, { recheck_at: after(300 - at) }),
    );
    await insert(...waiting);
    expect(await order.recheck(after(300))).toEqual({ ...nothing, hasMore: true });
    const left = await collection.find({ recheck_at: { $lte: after(300) } }).toArray();
    expect(left).toEqual([waiting[0]]);
    expect(await order.recheck(after(300))).toEqual(nothing);
  });
});

describe("a delivery that is made", () => {
  it("waits for what is before it, stored or made with it", async () => {
    const other = { endpoint: "whe_2" };
    await insert(made(1), made(1, other, ended));
    const all = [made(2), made(3), made(2, other), made(3, other)];
    expect(await order.placed(all)).toEqual([all[0], all[1], freed(all[2]!), all[3]]);
    const first = made(1, { transaction: "po_2" });
    expect(await order.placed([first])).toEqual([first]);
  });

  it("waits in its order, and not longer than it has to", async () => {
    const of = { type: "refund", transaction: "rf_1", createdAt: after(-9) };
    const [bounded, strict] = [made(7, of), made(7, { ...of, endpoint: "whe_2", order: "strict" })];
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
    const second = made(2);
    expect(await order.placed([second])).toEqual([waits ? second : freed(second)]);
  });
});
