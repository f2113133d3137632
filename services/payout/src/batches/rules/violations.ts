import type { Violation } from "@disburse/kernel/refusal.ts";

/** A line of a batch with the problems that were found in it. */
export type ViolatedLine = {
  readonly referenceId: string;
  readonly problems: readonly Violation[];
  /** The sent values by field. The same wrong value in several lines is one mistake. */
  readonly values: Readonly<Record<string, unknown>>;
};

/**
 * The maximum number of reported violations. More usually have one common cause, which the first
 * hundred show.
 */
const namedMax = 100;
/** The maximum number of lines that one violation names. */
const numbersMax = 100;

/** Returns the path of a line's field. Lines count from 0, like JSON arrays. */
export function ofLine(at: number, field: string): string {
  return field === "" ? `lines[${at}]` : `lines[${at}].${field}`;
}

/**
 * Reports each mistake once, with the lines that have it, in the order of the first lines. `rows`
 * are the rows of a file.
 */
export function lineViolations(
  lines: readonly ViolatedLine[],
  rows: readonly number[],
): Violation[] {
  const found = new Map<string, { first: number; problem: Violation; at: number[] }>();
  for (const [at, { problems, values }] of lines.entries()) {
    for (const problem of problems) {
      const value = JSON.stringify(values[problem.field] ?? null);
      const key = JSON.stringify([problem.field, problem.problem, value]);
      const same = found.get(key);
      if (same === undefined) found.set(key, { first: at, problem, at: [at] });
      else same.at.push(at);
    }
  }
  return [...found.values()].map(({ first, problem: { field, problem }, at }) => {
    const shown = at.slice(0, numbersMax);
    return {
      field: ofLine(first, field),
      problem,
      lines: {
        numbers: shown.map((each) => each + 1),
        rows: rows.length === 0 ? [] : shown.map((each) => rows[each] ?? 0),
        count: at.length,
        referenceId: lines[first]?.referenceId ?? "",
      },
    };
  });
}

/**
 * Limits violations so that they fit in one message. Keeps at least one of each kind, as far as
 * possible, and states how many more there are.
 */
export function namedViolations(violations: readonly Violation[]): Violation[] {
  const more = violations.length - namedMax;
  if (more <= 0) return [...violations];
  const kinds = Map.groupBy(violations, ({ field, problem }) =>
    JSON.stringify([field.replace(/^lines\[\d+\]/, ""), problem]),
  );
  const firsts = [...kinds.values()].flatMap(([first]) => first ?? []);
  const shown = new Set([...new Set([...firsts, ...violations])].slice(0, namedMax));
  const problem = `has ${more} more problems`;
  return [...violations.filter((each) => shown.has(each)), { field: "lines", problem }];
}
