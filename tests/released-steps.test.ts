import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { migrations } from "@disburse/standalone/migrations.ts";
import { expect, it } from "vitest";

/** Names of the steps of each service. Databases store them, so none may change or disappear. */
const released = JSON.parse(
  readFileSync(join(import.meta.dirname, "released-steps.json"), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

it.each(serviceNames)(
  "%s has every step under its number (docs/operators/migrations.md)",
  (service) => {
    const steps = migrations[service];
    expect(steps.map(({ name }) => name)).toEqual(released[service]);
    for (const [at, { name, needs = 0 }] of steps.entries()) {
      expect(needs, name).toBeLessThanOrEqual(at);
      if (name.startsWith("contract:")) expect(needs, name).toBeGreaterThan(0);
    }
  },
);
