import fc from "fast-check";
import {
  type BulkWriteResult,
  Decimal128,
  MongoAPIError,
  MongoBulkWriteError,
  MongoClient,
  MongoClientBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
  type TopologyDescription,
} from "mongodb";
import { describe, expect, it, vi } from "vitest";
import {
  type Database,
  databaseOf,
  fromDecimal128,
  isDatabaseUnavailable,
  isDuplicateKey,
  isOnlyDuplicateKeys,
  toDecimal128,
} from "./database.ts";

it("keeps whole numbers of up to 34 digits exactly", () => {
  const limit = 10n ** 34n - 1n;
  fc.assert(
    fc.property(fc.bigInt({ min: -limit, max: limit }), (minor) => {
      expect(fromDecimal128(toDecimal128(minor))).toBe(minor);
    }),
  );
});

it("accepts 34 digits and a sign, and no more", () => {
  const most = 10n ** 34n - 1n;
  for (const minor of [most, -most]) expect(fromDecimal128(toDecimal128(minor))).toBe(minor);
  for (const minor of [most + 1n, -most - 1n]) {
    expect(() => toDecimal128(minor)).toThrow("more than 34 digits");
  }
});

it.each([
  ["1E+3", 1000n],
  ["1.20E+3", 1200n],
  ["0", 0n],
  ["-1", -1n],
  ["18446744073709551615", 2n ** 64n - 1n],
  ["18446744073709551616", 2n ** 64n],
])("reads %s", (text, minor) => {
  expect(fromDecimal128(Decimal128.fromString(text))).toBe(minor);
});

it.each(["NaN", "1.5", "Infinity"])("refuses %s", (text) => {
  const read = () => fromDecimal128(Decimal128.fromString(text));
  expect(read).toThrow("the stored number is not a whole number");
});

const result = { insertedCount: 0 } as BulkWriteResult;
const said = (code: number) => ({ ok: 0, code, message: `code ${code}` });
const bulk = (error: object) => new MongoBulkWriteError(error as Error, result);
const failed = (...codes: number[]) =>
  bulk({ ...said(codes[0]!), writeErrors: codes.map((code, index) => ({ code, index })) });

function clientBulk(of: Partial<MongoClientBulkWriteError>): MongoClientBulkWriteError {
  return Object.assign(new MongoClientBulkWriteError({ message: "bulk write" }), of);
}

function labelled(label: string): MongoServerError {
  return new MongoServerError({ ...said(13), errorLabels: [label] });
}

const passing = [43, 50, 112, 175, 237, 462, 11_601].map((code): [string, unknown, boolean] => [
  `the passing failure ${code}`,
  new MongoServerError(said(code)),
  true,
]);

/** Errors as the driver creates them. 10107 is "not primary", 64 a majority that did not write. */
it.each([
  ["a connection that broke", new MongoNetworkError("closed"), true],
  ["no primary", new MongoServerSelectionError("timed out", {} as TopologyDescription), true],
  ["a client that is not connected", new MongoNotConnectedError("closed"), true],
  ["no time left", new MongoOperationTimeoutError("timed out"), true],
  [
    "a write that no majority has",
    new MongoWriteConcernError({ writeConcernError: { code: 64, errmsg: "timed out" } } as never),
    true,
  ],
  ["a connection that broke under an insert", bulk(new MongoNetworkError("closed")), true],
  ["a primary that stepped down", new MongoServerError(said(10_107)), true],
  ["a primary that stepped down under an insert", bulk(new MongoServerError(said(10_107))), true],
  ["one that did in the middle of it", failed(11_000, 11_602), true],
  ["an insert that no majority has", bulk({ code: 64, message: "timed out" }), true],
  ["one of several collections", clientBulk({ writeConcernErrors: [said(64)] }), true],
  ["a step-down there", clientBulk({ cause: new MongoServerError(said(10_107)) }), true],
  ["a refusal there", clientBulk({ cause: new MongoServerError(said(13)) }), false],
  [
    "a key of several collections",
    clientBulk({ writeErrors: new Map([[0, said(11_000)]]) }),
    false,
  ],
  ["keys that were there", failed(11_000, 11_000), false],
  ["one key that was there", new MongoServerError(said(11_000)), false],
  ["an insert that is not allowed", bulk(new MongoServerError(said(13))), false],
  ["one that says a retry may help", labelled("RetryableWriteError"), true],
  ["one that says so without a write", labelled("RetryableError"), true],
  ["an overloaded server", labelled("SystemOverloadedError"), true],
  ...passing,
  ["one of another label", labelled("TransientTransactionError"), false],
  [
    "a step-down of one of several collections",
    clientBulk({ writeErrors: new Map([[0, said(11_602)]]) }),
    true,
  ],
  ["an error of the driver itself", new MongoAPIError("no such option"), false],
  ["a bug", new TypeError("undefined is no function"), false],
  ["no error", undefined, false],
])("distinguishes an unavailable database from one that refuses: %s", (_what, error, isAway) => {
  expect(isDatabaseUnavailable(error)).toBe(isAway);
});

it("recognises a duplicate key", () => {
  expect(isDuplicateKey(failed(11_000))).toBe(true);
  expect(isDuplicateKey(new MongoServerError(said(11_000)))).toBe(true);
  expect(isDuplicateKey(new MongoServerError(said(13)))).toBe(false);
  expect(isDuplicateKey(Object.assign(new Error("made up"), { code: 11_000 }))).toBe(false);
});

it.each([
  ["two keys of a bulk insert", failed(11_000, 11_000), true],
  ["the key of one document", new MongoServerError(said(11_000)), true],
  [
    "one key of a bulk insert, which the driver does not list",
    bulk({ ...said(11_000), writeErrors: { code: 11_000 } }),
    true,
  ],
  ["a key beside another refusal", failed(11_000, 121), false],
  // Without a majority, even the documents of an earlier write may be lost.
  ["a majority that did not write", bulk({ code: 64, message: "timed out" }), false],
  ["the same after a key", bulk({ ...said(11_000), writeErrors: [] }), false],
  ["another refusal", new MongoServerError(said(121)), false],
  ["a connection that broke", new MongoNetworkError("closed"), false],
])("distinguishes existing keys from writes that may be lost: %s", (_what, error, expected) => {
  expect(isOnlyDuplicateKeys(error)).toBe(expected);
});

const keyTaken = (...codes: number[]) =>
  new Map(codes.map((code, index) => [index, said(code)] as const));

describe("an insert into several collections", () => {
  const rows = [
    { collection: "events", documents: [{ _id: "a" }, { _id: "b" }] },
    { collection: "deliveries", documents: [{ _id: "c" }] },
  ];
  const insertInto = (bulkWrite: () => Promise<unknown>) => {
    const client = new MongoClient("mongodb://127.0.0.1:1");
    const asked = vi.spyOn(client, "bulkWrite").mockImplementation(bulkWrite as never);
    return { asked, inserted: databaseOf(client, "shop").bulkInsert(rows) };
  };

  it("is one command, in order", async () => {
    const { asked, inserted } = insertInto(async () => undefined);
    expect(await inserted).toBe(true);
    const insert = (collection: string, _id: string) => ({
      ...{ name: "insertOne", namespace: `shop.${collection}`, document: { _id } },
    });
    expect(asked.mock.calls).toEqual([
      [
        [insert("events", "a"), insert("events", "b"), insert("deliveries", "c")],
        { ordered: true },
      ],
    ]);
  });

  it.each([
    ["a key", { writeErrors: keyTaken(11_000) }, true],
    ["two keys", { writeErrors: keyTaken(11_000, 11_000) }, true],
    ["another refusal", { writeErrors: keyTaken(121) }, false],
    ["a key beside another refusal", { writeErrors: keyTaken(11_000, 121) }, false],
    ["a majority that did not write", { writeConcernErrors: [said(64)] }, false],
    [
      "a key, and a majority that did not write",
      { writeErrors: keyTaken(11_000), writeConcernErrors: [said(64)] },
      false,
    ],
    ["a step-down", { cause: new MongoServerError(said(10_107)) }, false],
  ])("that ends with %s: stopped by a key alone: %s", async (_what, of, isAnswered) => {
    const error = clientBulk(of);
    const ended = await insertInto(() => Promise.reject(error)).inserted.catch(
      (reason: unknown) => reason,
    );
    expect(ended).toBe(isAnswered ? false : error);
  });

  it("that fails for another reason is not reported as a duplicate key", async () => {
    const error = new MongoServerError(said(11_000));
    await expect(insertInto(() => Promise.reject(error)).inserted).rejects.toBe(error);
  });
});

const documents = [{ _id: "a" }];

it.each<[string, (database: Database) => Promise<unknown>]>([
  ["one", ({ db }) => db.collection<{ _id: string }>("rows").insertOne({ _id: "a" })],
  ["many", ({ db }) => db.collection<{ _id: string }>("rows").insertMany(documents)],
  ["together", ({ bulkInsert }) => bulkInsert([{ collection: "rows", documents }])],
])("reports the database unavailable for an insert of %s", async (_what, insert) => {
  const client = new MongoClient("mongodb://127.0.0.1:1", { serverSelectionTimeoutMS: 50 });
  await expect(insert(databaseOf(client, "nowhere"))).rejects.toSatisfy(isDatabaseUnavailable);
  await client.close();
});

describe("a watch of the primary", () => {
  const watched = (isReplicaSet: boolean, read: () => Promise<unknown>) => {
    const client = new MongoClient("mongodb://127.0.0.1:1");
    const findOne = vi.fn((_filter: object, _options: object) => read());
    vi.spyOn(client, "db").mockReturnValue({ collection: () => ({ findOne }) } as never);
    return { client, findOne, ...databaseOf(client, "shop", { isReplicaSet }) };
  };

  it("reads nothing on a server without members", async () => {
    const { watchPrimary, findOne } = watched(false, async () => null);
    await watchPrimary()();
    expect(findOne).not.toHaveBeenCalled();
  });

  it("proves by a linearizable read that its primary is the current one", async () => {
    const { watchPrimary, findOne } = watched(true, async () => null);
    await watchPrimary()();
    expect(findOne.mock.calls[0]?.[1]).toMatchObject({ readConcern: { level: "linearizable" } });
  });

  it("shares a read among callers, none of which began before their call", async () => {
    const ends: (() => void)[] = [];
    const { watchPrimary, findOne } = watched(true, () => {
      return new Promise((resolve) => ends.push(() => resolve(null)));
    });
    const first = watchPrimary()();
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    const later = [watchPrimary()(), watchPrimary()(), watchPrimary()()];
    await Promise.resolve();
    expect(findOne).toHaveBeenCalledOnce();
    ends[0]?.();
    await first;
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    ends[1]?.();
    await Promise.all(later);
    expect(findOne).toHaveBeenCalledTimes(2);
  });

  it("fails on a former primary", async () => {
    const error = new MongoServerError(said(50));
    const { watchPrimary } = watched(true, () => Promise.reject(error));
    await expect(watchPrimary()()).rejects.toSatisfy(isDatabaseUnavailable);
  });

  it("fails if the driver has learned of a change since it began", async () => {
    const { watchPrimary, client } = watched(true, async () => null);
    client.emit("topologyDescriptionChanged", {} as never);
    const prove = watchPrimary();
    client.emit("topologyDescriptionChanged", {} as never);
    await expect(prove()).rejects.toSatisfy(isDatabaseUnavailable);
    await watchPrimary()();
  });
});
