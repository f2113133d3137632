import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../../../..", path), "utf8");
const page = read("docs/explanation/performance.md");

/** Returns a collection's index names from its service's migrations. */
function indexesOf(service: string, collection: string): string[] {
  const source = read(`services/${service}/src/migrations.ts`);
  const own = source.split(`  ${collection}: [`)[1]?.split("\n  ],")[0] ?? "";
  return [...own.matchAll(/name: "(\w+)"/g)].map(([, name = ""]) => name);
}

test.each([
  ["payout", "payouts"],
  ["notifier", "deliveries"],
])("performance.md names the query of each index of %s.%s", (service, collection) => {
  const [, after = ""] = page.split(`\n\`${service}.${collection}\`:\n`);
  const [table = ""] = after.trim().split("\n\n");
  const named = [...table.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, name = ""]) => name);
  const indexes = indexesOf(service, collection);
  expect(indexes.length).toBeGreaterThan(10);
  expect(named.toSorted()).toEqual(indexes.toSorted());
});
