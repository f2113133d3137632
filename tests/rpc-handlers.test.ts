import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contracts } from "@disburse/sandbox/access-table.ts";
import { expect, it } from "vitest";

/**
 * Handlers of one service come from several subjects and rail packages, as partial
 * implementations. So the compiler doesn't report an RPC without a handler.
 */

const root = join(import.meta.dirname, "..");

function sourceOf(service: string): string {
  const rails = service === "payout" ? ["packages/*-rail/src/**/*.ts"] : [];
  const files = globSync([`services/${service}/src/**/*.ts`, ...rails], { cwd: root });
  const served = files.filter((file) => !/(?:^|\/)test-|\.test\.ts$/.test(file));
  return served.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
}

/** The chassis implements the RPCs that several services have: approvals, audit, traces. */
const own = contracts.filter(([service, { typeName }]) =>
  typeName.startsWith(`disburse.${service}.`),
);

const sources = new Map(contracts.map(([service]) => [service, sourceOf(service)]));

it.each(own)("%s has a handler of each RPC", (service, { methods }) => {
  const missing = methods.filter(({ localName }) => {
    const handler = new RegExp(`^ +(?:async )?${localName}(?:: |\\(|,)`, "m");
    return !handler.test(sources.get(service) ?? "");
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
});
