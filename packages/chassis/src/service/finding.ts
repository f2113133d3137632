/** One result of `main.ts check`. A warning does not stop the service. */
export type Finding = {
  readonly part: string;
  readonly state: "ok" | "warning" | "failed";
  readonly text: string;
};

/** Prints findings as a table, or one JSON document with `--json`. Returns the exit code. */
export function printFindings(findings: readonly Finding[], isJson: boolean): number {
  const width = Math.max(...findings.map(({ part }) => part.length));
  const lines = findings.map(
    ({ part, state, text }) => `${state.padEnd("warning".length)}  ${part.padEnd(width)}  ${text}`,
  );
  process.stdout.write(`${isJson ? JSON.stringify(findings) : lines.join("\n")}\n`);
  return findings.some(({ state }) => state === "failed") ? 1 : 0;
}
