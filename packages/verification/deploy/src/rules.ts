import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";

const root = join(import.meta.dirname, "../../../..");
const alerts = join(root, "deploy/observability/alerts");
const target = join(root, "deploy/k8s/components/monitoring/rules.yaml");

/** Combines the alert files into a PrometheusRule, since kustomize reads no other format. */
export function prometheusRule(): string {
  const files = existsSync(alerts) ? readdirSync(alerts).sort() : [];
  const groups = files
    .filter((file) => file.endsWith(".yaml") && !file.endsWith(".test.yaml"))
    .flatMap((file) => parse(readFileSync(join(alerts, file), "utf8")).groups ?? []);
  const rule = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    // The label by which kube-prometheus-stack selects, with the name of its Helm release.
    metadata: { name: "disburse", labels: { release: "kube-prometheus-stack" } },
    spec: { groups },
  };
  return `# Made of deploy/observability/alerts by npm run generate.\n${stringify(rule)}`;
}

if (import.meta.main) writeFileSync(target, prometheusRule());
