import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  alertRules,
  dashboards,
  inSeconds,
  observabilityFolder,
  recordingRules,
  ruleTexts,
  selectionsOf,
} from "./files.ts";
import { hasProgram } from "./programs.ts";

/** Prometheus's external label is the address of the runbook's folder, a placeholder by default. */
const runbookUrl = '{{ or $externalLabels.runbook "https://docs.example.com/operators/runbook" }}';
/** An aggregation, and the labels that it keeps. */
const aggregation = /\b(?:sum|min|max|avg|count|group)\b *(?:by \(([^)]*)\))?(?= *\()/g;
const matching = /\bon \(([^)]*)\)/g;
const namespaced = /^namespace\b/;

const testNames = ["deployments", "rules", "slos"];
const testFile = (name: string) => join(observabilityFolder, "tests", `${name}.test.yaml`);
const testText = (name: string) => readFileSync(testFile(name), "utf8");

/** Returns the duration of `time` minutes or hours; 0 if there is none. */
const minutes = (time = "0", unit = "") => Number(time) * (unit.startsWith("h") ? 60 : 1);

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

  it("each lead to their own file of the runbook, which has no other", () => {
    const folder = join(observabilityFolder, "../../docs/operators/runbook");
    const files = readdirSync(folder).filter((name) => name !== "README.md");
    expect(files.toSorted()).toEqual(rules.map(({ alert }) => `${alert}.md`).toSorted());
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`${runbookUrl}/${alert}.md`);
      expect(readFileSync(join(folder, `${alert}.md`), "utf8")).toMatch(`# ${alert}\n\n`);
    }
  });

  it("have a row in the runbook's index with their severity and duration", () => {
    const index = join(observabilityFolder, "../../docs/operators/runbook/README.md");
    const page = readFileSync(index, "utf8");
    const rows = /^\| \[(\w+)\]\(\1\.md\) \| .* \| (?:–|(\d+) (min|h)) \| (\w+) \|$/gm;
    const listed = [...page.matchAll(rows)].map(([, alert, time, unit, severity]) => [
      alert,
      { minutes: minutes(time, unit), severity },
    ]);
    const expected = rules.map((rule) => {
      const [, time, unit] = /^(\d+)([mh])$/.exec(rule.for ?? "") ?? [];
      return [rule.alert, { minutes: minutes(time, unit), severity: rule.labels.severity }];
    });
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
    expect(listed).toHaveLength(expected.length);
  });

  it("aggregate by namespace and service, so that deployments in one Prometheus don't mix", () => {
    const all = [...rules, ...recordingRules()].map(({ expr }) => expr);
    const problems = all.flatMap((expr) => [
      ...[...expr.matchAll(aggregation)].filter(([, by = ""]) => !namespaced.test(by)),
      ...[...expr.matchAll(matching)].filter(([, on = ""]) => !namespaced.test(on)),
    ]);
    expect(problems.map(([text]) => text)).toEqual([]);
    expect(all.join("\n")).not.toMatch(/namespace=/);
  });

  it.skipIf(!isThere)("are read by Prometheus", async () => {
    const files = [...ruleTexts().keys()].map((name) => `alerts/${name}`);
    await run("promtool", ["check", "rules", ...files], { cwd: observabilityFolder });
    await run("promtool", ["check", "config", "compose/prometheus.yaml"], {
      cwd: observabilityFolder,
    });
  });

  it("are tried one by one, in the namespaces of deploy/k8s", () => {
    const tried = ["rules", "slos"].flatMap((name) =>
      [...testText(name).matchAll(/- name: (Disburse\w+)/g)].map(([, alert]) => alert),
    );
    expect([...new Set(tried)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    const overlays = join(observabilityFolder, "../k8s/overlays");
    for (const overlay of readdirSync(overlays)) {
      const text = readFileSync(join(overlays, overlay, "kustomization.yaml"), "utf8");
      const [, namespace] = /^namespace: (\S+)$/m.exec(text) ?? [];
      expect(testText("deployments")).toContain(
        `kubelet_volume_stats_available_bytes{job="kubelet", service="kubelet", namespace="${namespace}"`,
      );
    }
  });

  it.skipIf(!isThere).each(testNames)(
    "fire and clear: %s",
    async (name) => {
      await run("promtool", ["test", "rules", testFile(name)]);
      // The longest takes 25 s, or minutes on a slow machine under load.
    },
    600_000,
  );

  it("become seconds for a test", () => {
    expect(inSeconds("  for: 5m\n  expr: rate(a[15m]) > 0.5 and max(b[6h]) > 10 * 60")).toBe(
      "  for: 5s\n  expr: rate(a[15s]) > 0.5 and max(b[6m]) > 10",
    );
    const whole = [...ruleTexts().values()].map(inSeconds).join("\n");
    expect(whole).not.toMatch(/for: \d+m|\[\d+h\]|\* 60/);
  });
});

it("dashboards have panels, ids of their own, and a data source and a deployment to choose", () => {
  const all = dashboards();
  expect(all.map(({ uid }) => uid).toSorted()).toEqual(
    ["compliance", "money", "overview", "service", "webhooks"].map((name) => `disburse-${name}`),
  );
  for (const { schemaVersion, templating, panels } of all) {
    expect(schemaVersion).toBe(39);
    expect(templating.list.slice(0, 2).map(({ name }) => name)).toEqual([
      "datasource",
      "namespace",
    ]);
    const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const pattern = /\b(?:disburse|nodejs|process)[_:]\w+[^ ]*/g;
    const series = exprs.flatMap((expr) => expr.match(pattern) ?? []);
    expect(series.filter((each) => !each.includes('{namespace=~"$namespace"'))).toEqual([]);
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
