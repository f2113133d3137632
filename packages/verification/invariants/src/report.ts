import type { CheckReport } from "./database-check.ts";
import { invariantNumbers, invariants } from "./finding.ts";

/** Findings shown for each invariant. The JSON report has more. */
const shownMax = 10;

export function verdictOf({ broken }: CheckReport): { passed: number; failed: number } {
  return { passed: invariantNumbers.length - broken.size, failed: broken.size };
}

/** Formats the report. The last line is `N passed, M failed`. */
export function reportLines(report: CheckReport): string[] {
  const counted = Object.entries(report.counts).map(([name, count]) => {
    return `${count} ${name.replaceAll("_", " ")}`;
  });
  const { passed, failed } = verdictOf(report);
  return [
    `checked ${counted.join(", ")}`,
    ...invariantNumbers.flatMap((number) => {
      const count = report.broken.get(number) ?? 0;
      const mark = count === 0 ? "ok    " : "BROKEN";
      const line = `${mark} ${String(number).padStart(2)}  ${invariants[number]}`;
      const own = report.findings.filter(({ invariant }) => invariant === number);
      const shown = own
        .slice(0, shownMax)
        .map((each) => `           ${each.subject}: ${each.detail}`);
      const more = count > shown.length ? [`           and ${count - shown.length} more`] : [];
      return [line, ...shown, ...more];
    }),
    `${passed} passed, ${failed} failed`,
  ];
}
