import { expect, test } from "vitest";
import { exampleFigures } from "../testing.ts";
import { figuresPage, withFigures } from "./page.ts";

const begin = "<!-- measured by npm run bench -- --publish -->";
const end = "<!-- end of what was measured -->";

test("replaces the figures, and nothing beside them", () => {
  const page = `# Title\n\n${begin}\n\nold\n\n${end}\n\nThe rest.\n`;
  const replaced = withFigures(page, "new");
  expect(replaced).toBe(`# Title\n\n${begin}\n\nnew\n\n${end}\n\nThe rest.\n`);
  expect(withFigures(replaced, "new")).toBe(replaced);
});

test.each(["# Title", `${end} ${begin}`])("refuses a page without a place for them: %j", (page) => {
  expect(() => withFigures(page, "new")).toThrow("no place");
});

test("says where, and shows every scenario beside its floors", () => {
  const text = figuresPage(exampleFigures);
  expect(text).toContain("Commit `0123456789`, 2026-01-02: 2 × Example <fast>, 8 GB");
  expect(text).toContain("load average before the run 0.2.");
  expect(text).toContain("| quote | 90 | 10 | 20 | 25 | 4 | 2,000 | 7 | 3.5 |");
  expect(text).toContain("| quote | 900 | 70 | 0.2 | 900 | 70 | 0.05 | 900 | 0.1 | 900 | 0.1 |");
  expect(text).toContain("| 25 | 12 | 10 | 20 | 25 | 30 | 60 | no |");
  expect(text).toContain("with 200,000 payouts** to that with 1,000: list 1.25 ×, read 1.5 ×");
  expect(text).toContain("after 2,100 ms");
});

test("leaves out what was not measured", () => {
  const { cold_start: _cold, ...rest } = exampleFigures;
  const text = figuresPage({ ...rest, scenarios: {}, flat: {}, memory_mb: {} });
  expect(text).not.toMatch(/Cold|Lifecycles|memory|200,000/);
});
