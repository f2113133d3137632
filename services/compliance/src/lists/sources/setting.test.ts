import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAuthentic, listSourcesSetting, locationShown } from "./setting.ts";

const whole = {
  list: "ofac_sdn",
  format: "ofac_csv",
  files: [{ name: "primary", url: "https://lists.example/sdn.csv?token=1" }],
};
const parse = (value: unknown) => listSourcesSetting.safeParse(JSON.stringify(value));
const problems = (value: unknown): string => parse(value).error?.message ?? "";

describe("LIST_SOURCES", () => {
  it("is empty by default, and accepts URLs and files, twice a day", () => {
    expect(listSourcesSetting.parse(undefined)).toEqual([]);
    const files = [...whole.files, { name: "comments", path: "/lists/comments.csv" }];
    const defaults = { every_hours: 12, optional: false };
    expect(parse([{ ...whole, files }]).data).toEqual([{ ...whole, files, ...defaults }]);
  });

  it("is read from a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sources-"));
    await writeFile(join(folder, "sources.json"), JSON.stringify([whole]));
    expect(listSourcesSetting.parse(join(folder, "sources.json"))).toHaveLength(1);
    expect(listSourcesSetting.safeParse(join(folder, "none.json")).success).toBe(false);
    await rm(folder, { recursive: true });
  });

  it.each([
    [[{ ...whole, list: "OFAC SDN" }], "must be the name of a list"],
    [[{ ...whole, format: "pdf" }], "Invalid option"],
    [[{ ...whole, files: [] }], "Too small"],
    [[{ ...whole, files: [{ url: "ftp://lists.example/x" }] }], "Invalid"],
    [
      [{ ...whole, files: [{ url: "https://a:b@lists.example/x" }] }],
      "must not contain credentials",
    ],
    [[{ ...whole, every_hours: 0 }], "Too small"],
    [[{ ...whole, optional: "yes" }], "expected boolean"],
    [[{ ...whole, every: 1 }], "Unrecognized key"],
    [[{ ...whole, sha256: "A".repeat(64) }], "must be 64 hexadecimal digits"],
    [[whole, whole], "must not name a list twice"],
  ])("refuses %j", (wrong, problem) => {
    expect(problems(wrong)).toContain(problem);
  });

  it.each([
    [[{ name: "", url: "https://lists.example/x" }], true],
    [[{ name: "", url: "http://lists.example/x" }], false],
    [[{ name: "", path: "/lists/x" }], false],
    [[...whole.files, { name: "a", url: "http://lists.example/x" }], false],
  ])("is authentic where all files come over https: %j %s", (files, expected) => {
    const [source] = parse([{ ...whole, files }]).data ?? [];
    expect(source && isAuthentic(source)).toBe(expected);
  });

  it("shows a location without possible secrets", () => {
    const [file = { name: "", path: "" }] = whole.files;
    expect(locationShown(file)).toBe("https://lists.example/sdn.csv");
  });
});
