import { expect, type TestContext } from "vitest";
import { say } from "./command-line.ts";

/** A requirement of a scenario, and its problems; none if it held. */
export type Verdict = {
  readonly name: string;
  readonly problems: readonly string[];
  /** The measurements, in a line. */
  readonly figures?: string;
};

const problemsShown = 20;

/** Prints each verdict. Problems fail the running test, which goes on to the other verdicts. */
export function judge(verdicts: readonly Verdict[]): void {
  for (const { name, problems, figures } of verdicts) {
    const word = problems.length === 0 ? "ok    " : "FAILED";
    say(`${word} ${name}${figures === undefined ? "" : `: ${figures}`}`);
    expect.soft(problems.slice(0, problemsShown), name).toEqual([]);
  }
}

/** Skips the running test where there is a reason, and prints it. */
export function skipBecause({ skip, task }: TestContext, reason: string | undefined): void {
  if (reason === undefined) return;
  say(`skipped ${task.name}: ${reason}`);
  skip(reason);
}

/** An option of the command: `scripts/scenarios.mjs` sets `SCENARIO_PER_GAP` for `--per-gap`. */
export function optionOf(name: string): string | undefined {
  return process.env[`SCENARIO_${name.replaceAll("-", "_").toUpperCase()}`];
}

/** An option that is a whole number above zero, which the script has checked. */
export function countOption(name: string, otherwise: number): number {
  return Number(optionOf(name) ?? otherwise);
}
