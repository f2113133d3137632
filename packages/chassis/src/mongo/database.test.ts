import fc from "fast-check";
import {
  type BulkWriteResult,
  Decimal128,
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
import { expect, it } from "vitest";
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
  expect(() => toDecimal128(limit + 1n)).toThrow();
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
  expect(() => fromDecimal128(Decimal128.fromString(text))).toThrow();
});

const result = { insertedCount: 0 } as BulkWriteResult;
const said = (code: number) => ({ ok: 0, code, message: `code ${code}` });
const bulk = (error: object) => new MongoBulkWriteError(error as Error, result);
const failed = (...codes: number[]) =>
  bulk({ ...said(codes[0]!), writeErrors: codes.map((code, index) => ({ code, index })) });

function clientBulk(of: Partial<MongoClientBulkWriteError>): MongoClientBulkWriteError {
  return Object.assign(new MongoClientBulkWriteError({ message: "bulk write" }), of);
}

/** As the driver makes each of them. 10107 is "not primary", 64 a majority that did not write. */
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
  ["a bug", new TypeError("undefined is no function"), false],
])("distinguishes an unavailable database from one that refuses: %s", (_what, error, isAway) => {
  expect(isDatabaseUnavailable(error)).toBe(isAway);
});

it("recognises bulk failures of duplicate keys alone", () => {
  expect(isOnlyDuplicateKeys(failed(11_000, 11_000))).toBe(true);
  expect(isDuplicateKey(failed(11_000))).toBe(true);
  // They came with a majority that did not write: what was there may be lost.
  expect(isOnlyDuplicateKeys(bulk({ code: 64, message: "timed out" }))).toBe(false);
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
