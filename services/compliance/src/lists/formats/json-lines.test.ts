import { expect, it } from "vitest";
import { readList } from "./list-format.ts";
import { file } from "./test-file.ts";

const line = (uid: string): string =>
  JSON.stringify({ uid, type: "entity", names: [{ name: `Ünal ${uid} 有限公司` }] });
const read = (text: string) => readList("json_lines", [file(text)]);

it("reads one entry a line, whatever ends it, and passes over empty lines", () => {
  expect(read(`${line("a")}\r\n\n${line("b")}\n${line("c")}`)).toMatchObject({
    entries: [{ uid: "a", names: [{ name: "Ünal a 有限公司" }] }, { uid: "b" }, { uid: "c" }],
  });
});

it.each([
  ["", "lines: must have at least one entry"],
  ["\n\n", "lines: must have at least one entry"],
  [`${line("a")}\n{"uid":`, "line 2: is not JSON"],
  [`${line("a")}\n\n${line("a")}\n`, "line 3: uid a occurs twice"],
  [`${line("a")}\n{}\n${line("b")}`, "line 2: type must be one of"],
  ["x".repeat(1_048_577), "line 1: is longer than"],
])("refuses %.40s", (wrong, problem) => {
  expect(read(wrong)).toEqual({ problem: expect.stringContaining(problem) });
});
