import { BSON, type Document, MongoNotConnectedError } from "mongodb";
import { expect, it, vi } from "vitest";
import { createGroupedReads, findRawIn, findRawWithTimeIn } from "./grouped-reads.ts";

/** Groups reads of these documents, and notes the requested ids. */
function reads(...documents: (Document & { readonly _id: string })[]) {
  const asked: (readonly string[])[] = [];
  const read = createGroupedReads(async (ids) => {
    asked.push(ids);
    return documents.filter(({ _id }) => ids.includes(_id)).map((each) => BSON.serialize(each));
  }, vi.fn());
  return { asked, read };
}

it("asks once for the documents of a turn, and gives each caller its own", async () => {
  const { asked, read } = reads({ _id: "a", of: { n: 1 } }, { _id: "b" });
  const [one, other, b, none] = await Promise.all(["a", "a", "b", "c"].map(read));
  expect(asked).toEqual([["a", "b", "c"]]);
  expect([one, other, b, none]).toEqual([
    { _id: "a", of: { n: 1 } },
    { _id: "a", of: { n: 1 } },
    { _id: "b" },
    null,
  ]);
  expect(one?.of).not.toBe(other?.of);
  expect(await read("b")).toEqual({ _id: "b" });
  expect(asked).toHaveLength(2);
});

it("shows for each batch the wait of its first read, and its duration", async () => {
  let nowMs = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const observe = vi.fn();
  const read = createGroupedReads(async () => {
    nowMs += 30;
    return [];
  }, observe);
  const asked = [read("a")];
  nowMs += 5;
  asked.push(read("b"));
  await Promise.all(asked);
  await vi.waitFor(() => expect(observe).toHaveBeenCalled(), 10_000);
  expect(observe.mock.calls).toEqual([["read", { size: 2, waitedMs: 5, tookMs: 30 }]]);
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

it("refuses a read if 10,000 wait, as an unreachable database would", async () => {
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
