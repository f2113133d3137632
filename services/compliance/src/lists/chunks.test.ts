import { describe, expect, it } from "vitest";
import { people, person } from "../test-lists.ts";
import { chunkLines, lineEntry, packEntries } from "./chunks.ts";

const names = (chunks: readonly { id: string }[]): string[] => chunks.map(({ id }) => id);

describe("packEntries", () => {
  const some = people(500);

  it("loses nothing", () => {
    const read = packEntries("l", some).flatMap((chunk) => chunkLines(chunk).map(lineEntry));
    expect(read).toHaveLength(500);
    expect(read).toEqual(expect.arrayContaining(some));
  });

  it("names equal entries alike, in whatever order they and their fields come", () => {
    const turned = some.toReversed().map((entry) => {
      const fields = Object.entries(entry).toReversed();
      return Object.fromEntries(fields) as typeof entry;
    });
    expect(names(packEntries("l", turned))).toEqual(names(packEntries("l", some)));
    expect(names(packEntries("m", some))).not.toContain(names(packEntries("l", some))[0]);
  });

  it("changes one chunk for one entry", () => {
    const before = new Set(names(packEntries("l", some)));
    const after = names(packEntries("l", [...some.slice(1), person("p0", "Another Name")]));
    expect(after.filter((id) => !before.has(id))).toHaveLength(1);
  });

  it("is read back by those who have the right bytes only", () => {
    const [first, second] = packEntries("l", some);
    if (first === undefined || second === undefined) throw new Error("too few chunks");
    expect(() => chunkLines({ id: first.id, bytes: second.bytes })).toThrow(
      "does not match its hash",
    );
  });
});
