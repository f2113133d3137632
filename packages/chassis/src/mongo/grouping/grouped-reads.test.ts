import { BSON, type Document, MongoNotConnectedError } from "mongodb";
import { expect, it, vi } from "vitest";
import { createGroupedReads, findRawIn, findRawWithTimeIn } from "./grouped-reads.ts";

/** A collection of these documents, and what it was asked for. */
function reads(...documents: (Document & { readonly _id: string })[]) {
  const asked: (readonly string[])[] = [];
  const observe = vi.fn();
  const read = createGroupedReads(async (ids) => {
    asked.push(ids);
    return documents.filter(({ _id }) => ids.includes(_id)).map((each) => BSON.serialize(each));
  }, observe);
  return { asked, observe, read };
}

it("asks once for the documents of a turn, and gives each caller its own", async () => {
  const { asked, observe, read } = reads({ _id: "a", of: { n: 1 } }, { _id: "b" });
  const [one, other, b, none] = await Promise.all(["a", "a", "b", "c"].map(read));
  expect(asked).toEqual([["a", "b", "c"]]);
  expect([one, other, b, none]).toEqual([
    { _id: "a", of: { n: 1 } },
    { _id: "a", of: { n: 1 } },
    { _id: "b" },
    null,
  ]);
  expect(one?.of).not.toBe(other?.of);
  const took = { waitedMs: expect.any(Number), tookMs: expect.any(Number) };
  expect(observe.mock.calls).toEqual([["read", { size: 4, ...took }]]);
  const { waitedMs, tookMs } = observe.mock.calls[0]?.[1] ?? {};
  expect(waitedMs >= 0 && waitedMs < 60_000 && tookMs >= 0 && tookMs < 60_000).toBe(true);
  expect(await read("b")).toEqual({ _id: "b" });
  expect(asked).toHaveLength(2);
});

it("fails every read of a batch that fails, and none after it", async () => {
  let isCut = true;
  const read = createGroupedReads(async () => {
    if (isCut) throw new Error("cut");
    return [BSON.serialize({ _id: "a" })];
  }, vi.fn());
  const settled = await Promise.allSettled([read("a"), read("b")]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isCut = false;
  expect(await read("a")).toEqual({ _id: "a" });
});

it("refuses a read where 10,000 wait, as a database that is away", async () => {
  const { read } = reads();
  const waiting = Array.from({ length: 10_000 }, (_each, at) => read(`${at}`));
  await expect(read("more")).rejects.toBeInstanceOf(MongoNotConnectedError);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
});

it("asks the driver for the documents of these ids and no other", async () => {
  const find = vi.fn(() => ({ toArray: async () => [] }));
  const aggregate = vi.fn(() => ({ toArray: async () => [] }));
  const collection = { find, aggregate } as never;
  await findRawIn(collection)(["a"]);
  await findRawIn(collection)(["a", "b"]);
  expect(find.mock.calls).toEqual([
    [{ _id: "a" }, { raw: true }],
    [{ _id: { $in: ["a", "b"] } }, { raw: true }],
  ]);
  await findRawWithTimeIn(collection)(["a", "b"]);
  expect(aggregate.mock.calls).toEqual([
    [[{ $match: { _id: { $in: ["a", "b"] } } }, { $set: { now: "$$NOW" } }], { raw: true }],
  ]);
});
