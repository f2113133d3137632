import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const observabilityFolder = join(import.meta.dirname, "../../../../../deploy/observability");

export type AlertRule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
};

/** A series that Prometheus computes for the alerts. */
export type RecordingRule = { readonly record: string; readonly expr: string };

type RuleFile = {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly (AlertRule | RecordingRule)[];
  }[];
};

const alertsFolder = join(observabilityFolder, "alerts");

export function ruleTexts(): Map<string, string> {
  const names = readdirSync(alertsFolder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(alertsFolder, name), "utf8")]));
}

function rules(): (AlertRule | RecordingRule)[] {
  const files = [...ruleTexts().values()].map((text) => parse(text) as RuleFile);
  return files.flatMap(({ groups }) => groups.flatMap((group) => group.rules));
}

export function alertRules(): AlertRule[] {
  return rules().filter((rule) => "alert" in rule);
}

export function recordingRules(): RecordingRule[] {
  return rules().filter((rule) => "record" in rule);
}

/**
 * Rewrites alert rules with seconds instead of minutes, so that a test sees alerts fire and clear.
 * Changes windows in minutes and hours, `for` in minutes, and delays such as `> 5 * 60`. Keeps
 * ratios, call durations, values in seconds and windows in days.
 */
export function inSeconds(rules: string): string {
  return rules
    .replaceAll(/\[(\d+)m\]/g, "[$1s]")
    .replaceAll(/\[(\d+)h\]/g, "[$1m]")
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
  const ofAlerts = alertRules().map(({ alert, expr }) => ({ of: alert, query: expr }));
  const ofRecords = recordingRules().map(({ record, expr }) => ({ of: record, query: expr }));
  const ofPanels = dashboards().flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({ of: `${title}, ${panel.title}`, query: expr })),
    ),
  );
  return [...ofAlerts, ...ofRecords, ...ofPanels];
}

const metricName = /\b((?:disburse|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const grouping = /\bby \(([^)]*)\)/g;
const labelName = /([a-z_]+)\s*(?:=~|!~|!=|=)/g;

/** Returns a query's metrics with their matchers, and its grouping labels. */
export function selectionsOf(query: string) {
  // Labels that no metric declares: Prometheus adds the target's, and histogram buckets have `le`.
  const added = new Set(["namespace", "instance", "le"]);
  const own = (names: readonly string[]) => names.filter((name) => !added.has(name));
  const selections = [...query.matchAll(metricName)].map(([, metric = "", matchers = ""]) => ({
    metric,
    labels: own([...matchers.matchAll(labelName)].map(([, label = ""]) => label)),
  }));
  const grouped = [...query.matchAll(grouping)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  );
  return { selections, grouped: own(grouped) };
}
