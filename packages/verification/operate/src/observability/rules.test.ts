import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  alertRules,
  dashboards,
  inSeconds,
  observabilityFolder,
  ruleTexts,
  selectionsOf,
} from "./files.ts";
import { hasProgram } from "./programs.ts";

const run = promisify(execFile);
const isThere = hasProgram("promtool");

describe("the alert rules", () => {
  const rules = alertRules();

  it("have names of their own, a severity and a summary", () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Disburse[A-Z][A-Za-z]+$/);
      expect(["critical", "warning"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });

  it("name their section of the runbook, which is there", () => {
    const runbook = join(observabilityFolder, "../../docs/RUNBOOK.md");
    const headings = readFileSync(runbook, "utf8").match(/^#+ .*$/gm);
    const anchors = headings?.map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-"),
    );
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/RUNBOOK.md#${alert.toLowerCase()}`);
      expect(anchors).toContain(alert.toLowerCase());
    }
  });

  it.skipIf(!isThere)("are read by Prometheus", async () => {
    const files = [...ruleTexts().keys()].map((name) => `alerts/${name}`);
    await run("promtool", ["check", "rules", ...files], { cwd: observabilityFolder });
    await run("promtool", ["check", "config", "compose/prometheus.yaml"], {
      cwd: observabilityFolder,
    });
  });

  it.skipIf(!isThere)(
    "fire, each by itself, and clear",
    async () => {
      const file = join(observabilityFolder, "tests/rules.test.yaml");
      const tried = [...readFileSync(file, "utf8").matchAll(/- name: (\w+)/g)].map(
        ([, name]) => name,
      );
      expect([...new Set(tried)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
      await run("promtool", ["test", "rules", file]);
      // It takes 15 s, or more than 60 s on a slow machine under load.
    },
    240_000,
  );

  it("become seconds for a test", () => {
    expect(inSeconds("  for: 5m\n  expr: rate(a[15m]) > 0.5 and max(b) > 10 * 60")).toBe(
      "  for: 5s\n  expr: rate(a[15s]) > 0.5 and max(b) > 10",
    );
    const whole = [...ruleTexts().values()].map(inSeconds).join("\n");
    expect(whole).not.toMatch(/for: \d+m|\[\d+m\]|\* 60/);
  });
});

it("dashboards have panels, a data source to choose, and ids of their own", () => {
  const all = dashboards();
  expect(all.map(({ uid }) => uid).toSorted()).toEqual(
    ["compliance", "money", "overview", "service", "webhooks"].map((name) => `disburse-${name}`),
  );
  for (const { schemaVersion, templating, panels } of all) {
    expect(schemaVersion).toBe(39);
    expect(templating.list[0]?.name).toBe("datasource");
    expect(panels.length).toBeGreaterThan(5);
  }
});

it("finds the metrics and the labels of a query", () => {
  const query = 'sum by (le, rail) (rate(disburse_a_bucket{rail="x", code!~"y"}[5m])) / up';
  expect(selectionsOf(query)).toEqual({
    selections: [{ metric: "disburse_a_bucket", labels: ["rail", "code"] }],
    grouped: ["rail"],
  });
});
