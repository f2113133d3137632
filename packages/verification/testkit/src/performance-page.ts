import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A row of docs/explanation/performance.md. It describes a database command of an operation without
 * concurrency.
 */
export type Row = { readonly what: string; readonly times: number; readonly isMost: boolean };

const page = readFileSync(
  join(import.meta.dirname, "../../../../docs/explanation/performance.md"),
  "utf8",
);

/** Parses an operation's table: `| payout.payouts | insert | 1 | why | index |`. */
export function rowsOf(operation: string): Row[] {
  const [, table = ""] = page.split(`\n### ${operation}\n`);
  const [of = ""] = table.split("\n#");
  return [...of.matchAll(/^\| `([\w.]+)` \| ([^|]*?) \| (≤ )?(\d+) \|/gm)].map(
    ([, place, how = "", isMost, times]) => ({
      what: `${place} ${how.trim()}`,
      times: Number(times),
      isMost: isMost !== undefined,
    }),
  );
}

/** Commands that an idle platform also sends. */
export const backgroundCommands: ReadonlySet<string> = new Set(
  rowsOf("In the background").map(({ what }) => what),
);
