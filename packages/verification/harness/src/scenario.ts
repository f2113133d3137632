import { expect, type TestContext } from "vitest";
import { say } from "./command-line.ts";

/** The problems found for one requirement. Empty if the requirement holds. */
export type Verdict = {
  readonly name: string;
  readonly problems: readonly string[];
  readonly figures?: string;
};

const problemsShown = 20;

/** Prints each verdict. Problems fail the test without stopping it. */
export function judge(verdicts: readonly Verdict[]): void {
  for (const { name, problems, figures } of verdicts) {
    const word = problems.length === 0 ? "ok    " : "FAILED";
    say(`${word} ${name}${figures === undefined ? "" : `: ${figures}`}`);
    expect.soft(problems.slice(0, problemsShown), name).toEqual([]);
  }
}

/** Skips the test and prints the reason, if there is one. */
export function skipBecause({ skip, task }: TestContext, reason: string | undefined): void {
  if (reason === undefined) return;
  say(`skipped ${task.name}: ${reason}`);
  skip(reason);
}

/** Reads a command option: `scripts/scenarios.mjs` sets `SCENARIO_PER_GAP` for `--per-gap`. */
export function optionOf(name: string): string | undefined {
  return process.env[`SCENARIO_${name.replaceAll("-", "_").toUpperCase()}`];
}

/** Reads a positive integer, which the script has validated. */
export function countOption(name: string, otherwise: number): number {
  return Number(optionOf(name) ?? otherwise);
}
