import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const observabilityFolder = join(import.meta.dirname, "../../../../../deploy/observability");

export type AlertRule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
};

type RuleFile = {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
};

const alertsFolder = join(observabilityFolder, "alerts");

export function ruleTexts(): Map<string, string> {
  const names = readdirSync(alertsFolder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(alertsFolder, name), "utf8")]));
}

export function alertRules(): AlertRule[] {
  const files = [...ruleTexts().values()].map((text) => parse(text) as RuleFile);
  return files.flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
}

/**
 * Rewrites alert rules with seconds instead of minutes, so that a test sees alerts fire and clear.
 * Changes windows in minutes, `for` in minutes, and delays such as `> 5 * 60`. Keeps ratios, call
 * durations and values in seconds.
 */
export function inSeconds(rules: string): string {
  return rules
    .replaceAll(/\[(\d+)m\]/g, "[$1s]")
    .replaceAll(/^(\s+for: \d+)m$/gm, "$1s")
    .replaceAll(/(\d+) \* 60\b/g, "$1");
}

type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] };
export type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
};

export function dashboards(): Dashboard[] {
  const folder = join(observabilityFolder, "dashboards");
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.map((text) => JSON.parse(text) as Dashboard);
}

export function queries(): { readonly of: string; readonly query: string }[] {
  const ofRules = alertRules().map(({ alert, expr }) => ({ of: alert, query: expr }));
  const ofPanels = dashboards().flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({ of: `${title}, ${panel.title}`, query: expr })),
    ),
  );
  return [...ofRules, ...ofPanels];
}

const metricName = /\b((?:disburse|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const grouping = /\bby \(([^)]*)\)/g;
const labelName = /([a-z_]+)\s*(?:=~|!~|!=|=)/g;

/** Returns a query's metrics with their matchers, and its grouping labels. */
export function selectionsOf(query: string) {
  const selections = [...query.matchAll(metricName)].map(([, metric = "", matchers = ""]) => ({
    metric,
    labels: [...matchers.matchAll(labelName)].map(([, label = ""]) => label),
  }));
  const grouped = [...query.matchAll(grouping)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  );
  // Labels that no metric declares: Prometheus adds `instance`, and histogram buckets have `le`.
  const added = new Set(["instance", "le"]);
  return { selections, grouped: grouped.filter((name) => !added.has(name)) };
}
