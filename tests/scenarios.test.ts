import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..");
const script = join(root, "scripts/scenarios.mjs");

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

it.each([
  ["a part of another scenario", ["--only", "alerts", "--part", "even-load"], "even-load"],
  ["a part in place of a scenario", ["--only", "even-load"], "even-load"],
])("refuses %s, of which no test would run", (_what, args, unknown) => {
  const { status, stderr } = run("operate", ...args);
  expect(stderr).toContain(`No scenario has this name: ${unknown}.`);
  expect(status).toBe(2);
});

/** Runs until signalled, in a scratch folder that it fills. */
const program = `
  import { runNode } from "./scripts/foreground.mjs";
  import { withScratchFolder } from "./scripts/scratch-folder.mjs";
  const fill = 'require("fs").writeFileSync(process.env.TMPDIR + "/file", ""); setInterval(() => 0, 1e6)';
  const run = (TMPDIR) => runNode(process.execPath, ["-e", fill], { env: { TMPDIR } });
  process.exitCode = await withScratchFolder("scratch-", run);
`;

it.skipIf(process.platform === "win32")(
  "leaves no folder behind, however often it is signalled",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "scenarios-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      env: { ...process.env, TMPDIR: folder },
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    await expect.poll(() => globSync("*/file", { cwd: folder })).toHaveLength(1);
    const signals = setInterval(() => child.kill("SIGTERM"), 1);
    onTestFinished(() => clearInterval(signals));
    await exited;
    expect(readdirSync(folder)).toEqual([]);
  },
);
