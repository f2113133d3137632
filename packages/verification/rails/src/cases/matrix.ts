import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RailCase, Verdict } from "../case.ts";

const root = join(import.meta.dirname, "../../../../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

/** What rails do at their counterparts, as tests beside their code: `*.rails.test.ts`. */
export const matrix: RailCase = {
  name: "matrix",
  about: "*.rails.test.ts: reorganisations, nodes that lie or lag, fees, tokens, 500 payouts",
  run: async function* () {
    const scratch = mkdtempSync(join(tmpdir(), "disburse-report-"));
    try {
      const file = join(scratch, "report.json");
      const args = ["run", "-c", "vitest.rails.config.ts", "--reporter=default"];
      const child = spawn(
        process.execPath,
        [vitest, ...args, "--reporter=json", `--outputFile.json=${file}`],
        { cwd: root, stdio: "inherit" },
      );
      await once(child, "exit");
      yield* verdictsOf(JSON.parse(readFileSync(file, "utf8")) as Report);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

function verdictsOf({ testResults }: Report): Verdict[] {
  return testResults.flatMap(({ name, status, message, assertionResults }): Verdict[] => {
    if (assertionResults.length === 0 && status === "failed")
      return [{ name, problems: [message] }];
    return assertionResults.map((test) => {
      const problems = test.failureMessages.map((text) => text.split("\n")[0] ?? "");
      const isSkipped = test.status === "skipped" || test.status === "pending";
      return { name: test.fullName, problems, ...(isSkipped && { skipped: "see its name" }) };
    });
  });
}
