// Runs Vitest and counts the tests of its report.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode } from "./foreground.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");

/**
 * Runs Vitest with these arguments and adds to `counts`; returns its exit code. Only tests whose full
 * names `isChosen` accepts are counted: those that a name pattern leaves out are reported as skipped.
 */
export async function runVitest(node, args, counts, { isChosen = () => true, env = {} } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), "disburse-report-"));
  const file = join(scratch, "report.json");
  try {
    const output = ["--reporter=json", `--outputFile.json=${file}`];
    const code = await runNode(node, [vitest, "run", ...output, ...args], { cwd: root, env });
    const before = counts.failed;
    addReport(counts, file, isChosen);
    // A file that did not load, an error outside of any test, or a missing report.
    if (code !== 0 && counts.failed === before) counts.failed += 1;
    return code;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function addReport(counts, file, isChosen) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // No report: Vitest ended earlier, as its exit code shows.
    return;
  }
  for (const { status, assertionResults } of report.testResults) {
    if (status === "failed" && assertionResults.length === 0) counts.failed += 1;
    for (const test of assertionResults.filter(({ fullName }) => isChosen(fullName))) {
      counts[test.status === "passed" || test.status === "failed" ? test.status : "skipped"] += 1;
    }
  }
}

/** The last line of a run, with its counts. */
export function countsLine({ passed, failed, skipped }) {
  return `\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`;
}
