import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What docs/PERFORMANCE.md says that an operation reads and writes, when it is alone. */
export type Row = { readonly what: string; readonly times: number; readonly isMost: boolean };

const page = readFileSync(join(import.meta.dirname, "../../../../docs/PERFORMANCE.md"), "utf8");

/** The rows of an operation's table: `| payout.payouts | insert | 1 | why | index |`. */
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

/** Commands that run by themselves, whether anything is asked or not. */
export const backgroundCommands: ReadonlySet<string> = new Set(
  rowsOf("In the background").map(({ what }) => what),
);
