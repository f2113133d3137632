import { describe, expect, it } from "vitest";
import { people } from "../../test-lists.ts";
import { chunkLines, lineEntry, packEntries } from "../chunks.ts";
import { readImportApart } from "./import.ts";

const limits = { timeoutMs: 60_000, heapMegabytes: 512 };

/** A list of `count` persons as JSON lines. */
function work(count: number) {
  const lines = people(count).map(({ uid, names, type }) => JSON.stringify({ uid, names, type }));
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const files = [{ name: "", bytes }];
  const base = packEntries("l", people(8));
  return { list: "l", format: "json_lines", files, base, retained: [] } as const;
}

describe("readImportApart", () => {
  it("reads a list, and returns what changed and the new chunks", async () => {
    const read = await readImportApart(work(10), limits);
    if ("problem" in read) throw new Error(read.problem);
    expect(read).toMatchObject({ entries: 10, change: { added: 2, changed: 0, removed: 0 } });
    const fresh = read.fresh.flatMap((chunk) => chunkLines(chunk).map(lineEntry));
    expect(fresh).toEqual(expect.arrayContaining(people(10).slice(8)));
    expect(read.chunks).toEqual(expect.arrayContaining(read.fresh.map(({ id }) => id)));
  });

  it("gives up on a list that takes too long", async () => {
    const problem = "files: could not be read within 0.001 s";
    expect(await readImportApart(work(60_000), { ...limits, timeoutMs: 1 })).toEqual({ problem });
  });

  it("gives up on a list that does not fit the memory, and survives", async () => {
    const problem = "files: need more memory than an import may use";
    const small = { ...limits, heapMegabytes: 24 };
    expect(await readImportApart(work(60_000), small)).toEqual({ problem });
  });
});
