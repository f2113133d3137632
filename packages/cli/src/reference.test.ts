import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandReference } from "./reference.ts";

it("has every command as it is", () => {
  const page = join(import.meta.dirname, "../../../docs/reference/command-line.md");
  const isCurrent = readFileSync(page, "utf8") === commandReference();
  expect(isCurrent || "stale: run `npm run generate` and commit the result").toBe(true);
  expect(commandReference()).toContain("`disburse rails pause <rail>`");
});
