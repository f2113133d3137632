import { expect, it } from "vitest";
import { readContent, sha256Of, storeContent } from "./contents.ts";
import type { ContentDocument } from "./documents.ts";

/** Contents in memory, so that the database causes no pauses. */
function memory() {
  const documents = new Map<string, ContentDocument>();
  const all = () => [...documents.values()];
  const contents = {
    insertMany: async (given: readonly ContentDocument[]) => {
      for (const each of given) documents.set(each._id, each);
    },
    countDocuments: async () => documents.size,
    find: () => ({ sort: () => all() }),
  };
  return { contents } as unknown as Parameters<typeof storeContent>[0];
}

const sealer = { seal: (text: string) => text, open: (text: string) => text };

/** Counts how often other work of the process runs meanwhile. */
async function turnsWhile<T>(work: Promise<T>): Promise<readonly [T, number]> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work.finally(() => {
    isDone = true;
  });
  return [result, turns];
}

it("stores and reads 16 MiB without holding up the process", async () => {
  const bytes = new Uint8Array(16 * 2 ** 20 + 1).map((_each, at) => at % 251);
  const store = memory();
  const [sha256, storing] = await turnsWhile(storeContent(store, sealer, "o", bytes));
  expect(sha256).toBe(sha256Of(bytes));
  const [read, reading] = await turnsWhile(readContent(store, sealer, "o", sha256));
  expect(Buffer.from(read).equals(bytes)).toBe(true);
  // At least one pause for each 2 MiB.
  expect(storing).toBeGreaterThanOrEqual(8);
  expect(reading).toBeGreaterThanOrEqual(8);
});

it("refuses content of which a part is missing", async () => {
  const store = memory();
  const sha256 = await storeContent(store, sealer, "o", new Uint8Array(10));
  await expect(readContent(store, sealer, "o", `${sha256}0`)).rejects.toThrow(
    "does not match its SHA-256 hash",
  );
});
