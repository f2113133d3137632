import { expect, it } from "vitest";
import type { LedgerCollections } from "./documents.ts";
import { createEntryReads } from "./recorder.ts";

const stored = [
  { _id: "po_1:hold", account_id: "acc_1" },
  { _id: "po_2:hold", account_id: "acc_2" },
];

/** Reads of a ledger that returns `stored`, and the commands sent to it. */
function reading(answer: () => Promise<object[]> = () => Promise.resolve(stored)) {
  const commands: unknown[] = [];
  const find = (filter: object, options: object) => {
    commands.push({ filter, ...options });
    return { toArray: answer };
  };
  const entries = { find } as unknown as LedgerCollections["entries"];
  return { commands, read: createEntryReads({ entries }) };
}

it("shares a command among the accounts of a turn, and gives each its own entries", async () => {
  const { commands, read } = reading();
  const found = await Promise.all([
    read("acc_1", new Set(["po_1:hold", "po_1:post"])),
    read("acc_2", new Set(["po_2:hold"])),
    read("acc_2", new Set(["po_3:hold"])),
  ]);
  expect(found).toEqual([[stored[0]], [stored[1]], []]);
  expect(commands).toEqual([
    {
      filter: {
        _id: { $in: ["po_1:hold", "po_1:post", "po_2:hold", "po_3:hold"] },
        account_id: { $in: ["acc_1", "acc_2"] },
      },
      hint: "_id_",
    },
  ]);
});

it("does not give an account the entry of another one", async () => {
  const { read } = reading();
  const own = read("acc_2", new Set(["po_2:hold"]));
  expect(await read("acc_1", new Set(["po_2:hold"]))).toEqual([]);
  expect(await own).toEqual([stored[1]]);
});

it("fails for all that share a command, and reads again for those after them", async () => {
  let isAway = true;
  const { read } = reading(() =>
    isAway ? Promise.reject(new Error("cut")) : Promise.resolve(stored),
  );
  const keys = new Set(["po_1:hold"]);
  const ends = await Promise.allSettled([read("acc_1", keys), read("acc_2", keys)]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isAway = false;
  expect(await read("acc_1", keys)).toEqual([stored[0]]);
});
