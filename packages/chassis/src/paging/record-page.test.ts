import { expect, it } from "vitest";
import {
  afterCursor,
  countedTotal,
  createdWithin,
  cutPage,
  oldestFirst,
  readCursor,
  readPage,
} from "./page.ts";

const at = (ms: number) => new Date(1_700_000_000_000 + ms);
const records = [3, 2, 2, 1].map((ms, place) => ({ id: `po_${9 - place}`, createdAt: at(ms) }));

it.each([
  [5, 4, undefined],
  [4, 4, undefined],
  [3, 3, "po_7"],
  [1, 1, "po_9"],
])("cuts a page of %i to %i records, the next after %s", async (limit, length, lastId) => {
  const { shown, nextCursor } = await readPage(
    "payouts",
    { limit, cursor: "" },
    async (range) => records.slice(0, range.limit),
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  expect(shown).toEqual(records.slice(0, length));
  expect(nextCursor === "" ? undefined : readCursor("payouts", nextCursor)?.id).toBe(lastId);
});

it("continues after a record among those of the same moment", () => {
  expect(afterCursor({}, { at: at(2), id: "po_8" })).toEqual({
    $and: [
      {},
      { created_at: { $lte: at(2) } },
      { $or: [{ created_at: { $lt: at(2) } }, { _id: { $lt: "po_8" } }] },
    ],
  });
});

it("continues towards the newest in a list of the oldest first", () => {
  expect(afterCursor({}, { at: at(2), id: "po_8" }, oldestFirst)).toEqual({
    $and: [
      {},
      { created_at: { $gte: at(2) } },
      { $or: [{ created_at: { $gt: at(2) } }, { _id: { $gt: "po_8" } }] },
    ],
  });
});

it("cuts a page of other records by their own cursors", () => {
  expect(cutPage(["a", "b", "c"], 2, (last) => `after ${last}`)).toEqual({
    shown: ["a", "b"],
    nextCursor: "after b",
  });
  expect(cutPage(["a", "b"], 2, (last) => `after ${last}`).nextCursor).toBe("");
});

it.each([
  [undefined, undefined, {}],
  [at(1), undefined, { created_at: { $gte: at(1) } }],
  [undefined, at(2), { created_at: { $lt: at(2) } }],
  [at(1), at(2), { created_at: { $gte: at(1), $lt: at(2) } }],
])("bounds the creation from %s to %s", (from, to, filter) => {
  expect(createdWithin(from, to)).toEqual(filter);
});

it.each([
  [0, 0n, false],
  [10_000, 10_000n, false],
  [10_001, 10_000n, true],
])("a count of %i is %i, capped: %s", (counted, totalCount, totalCountCapped) => {
  expect(countedTotal(counted)).toEqual({ totalCount, totalCountCapped });
});
