/** How often each MongoDB command ran; `find` counts a query, `getMore` each further batch. */
export type CommandCounts = Readonly<Record<string, number>>;

/** The commands that read or write documents; the rest keeps connections and tells states. */
export const dataCommands = [
  "find",
  "getMore",
  "insert",
  "update",
  "delete",
  "findAndModify",
  "aggregate",
  "count",
  "distinct",
  "bulkWrite",
] as const;

/** What ran between two readings, each less what an idle platform runs in the same time. */
export function commandsBetween(
  before: CommandCounts,
  after: CommandCounts,
  idle: CommandCounts = {},
): CommandCounts {
  const counts = Object.entries(after).map(([name, count]) => {
    return [name, Math.max(0, count - (before[name] ?? 0) - (idle[name] ?? 0))] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Each count times a factor. */
export function scaledCounts(counts: CommandCounts, factor: number): CommandCounts {
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n * factor]));
}

/** All commands together. */
export function commandTotal(counts: CommandCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Whole commands for one request: half a one or more is one. */
export function wholeCommands(counts: CommandCounts): string[] {
  return Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: Math.round(count) }, () => name),
  );
}
