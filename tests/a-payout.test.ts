import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Limits how many files a reader must open to follow a payout. */
const filesMax = 90;

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/explanation/a-payout.md"), "utf8");

/** `| sentence | `file` | `function`, `function` |` */
const row = /^\| (?!step|---)(.+) \| `([^`]+)` \| (`\w+`(?:, `\w+`)*) \|$/;

const steps = page.split("\n").flatMap((line) => {
  const [, sentence = "", file = "", names = ""] = row.exec(line) ?? [];
  return names === "" ? [] : [{ sentence, file, names: names.match(/\w+/g) ?? [] }];
});

/** Checks for a function, constant, type, class or RPC method of this name. */
function declares(source: string, name: string): boolean {
  const declared = `(?:function\\*?|const|class|type) ${name}\\b|^ +(?:async )?${name}(?:: |\\()`;
  return new RegExp(declared, "m").test(source);
}

describe("docs/explanation/a-payout.md", () => {
  it("has every row of its tables read as a step", () => {
    const rows = page.split("\n").filter((line) => /^\| (?!step|---)/.test(line));
    expect(steps).toHaveLength(rows.length);
    expect(steps.length).toBeGreaterThan(50);
  });

  it.each(steps)("$file has $names", ({ file, names }) => {
    const source = readFileSync(join(root, file), "utf8");
    expect(names.filter((name) => !declares(source, name))).toEqual([]);
  });

  it("passes few files", () => {
    expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(filesMax);
  });
});
