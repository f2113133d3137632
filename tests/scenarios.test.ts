import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../scripts/scenarios.mjs", import.meta.url));

function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  return { status, stderr };
}

it.each([
  ["an unknown option", ["faults", "--what"]],
  ["another command's option", ["drills", "--kills", "3"]],
  ["a count of zero", ["faults", "--kills", "0"]],
  ["a count that is not whole", ["faults", "--seeds", "1.5"]],
  ["a pattern for a name", ["rails", "--only", ".*"]],
])("refuses %s and starts nothing", (_what, args) => {
  const { status, stderr } = run(...args);
  expect(status).toBe(2);
  expect(stderr).toContain("usage: npm run");
});
