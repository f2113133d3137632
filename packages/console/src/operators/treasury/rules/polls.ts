type Entry = {
  readonly kind: number;
  readonly stage: string;
  readonly detail: string;
  readonly rail: string;
};

export type Run<T> = {
  /** The first of the entries. */
  readonly entry: T;
  readonly last: T;
  readonly count: number;
};

/** Joins neighbouring entries of one kind that say the same, such as repeated polls of a rail. */
export function runsOf<T extends Entry>(entries: readonly T[], kind: number): Run<T>[] {
  const runs: Run<T>[] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && entry.kind === kind && isSame(run.entry, entry)) {
      runs[runs.length - 1] = { ...run, last: entry, count: run.count + 1 };
    } else runs.push({ entry, last: entry, count: 1 });
  }
  return runs;
}

const isSame = (one: Entry, two: Entry) =>
  (["kind", "stage", "detail", "rail"] as const).every((name) => one[name] === two[name]);
