import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { home, readRepository } from "./repository.ts";
import { isForTests, type Source } from "./source.ts";

/** Writes the reference of all metrics from their definitions; part of `npm run generate`. */

const head = `# Metrics

Generated from the sources by \`npm run generate\`. Each process serves them on its admin port at \`/metrics\`, with the label \`service\`, beside \`nodejs_*\` and \`process_*\`. [Observability](../../deploy/observability/README.md) explains alerts and dashboards.

Gauges of payouts, rates and pending screenings are read from the database by each process, and the same in all of them: take their \`max\`, never their sum.
`;

const texts = String.raw`(?:"[^"]*"\s*\+?\s*)+`;
/** A name, its help (or the constant \`help\`), and its labels. */
const definition = new RegExp(
  String.raw`(?<call>\w*)\(?\{?\s*(?:name:\s*|const name = )?"(?<name>disburse_\w+)"[,;]\s*` +
    String.raw`(?:help:\s*|const help =\s*)?(?<help>${texts}|help\b)` +
    String.raw`(?:[,;]\s*(?:labelNames:\s*|metrics\.measured\(name, help,\s*)?\[(?<labels>[^\]]*)\])?`,
  "g",
);

const isMetricSource = ({ path }: Source) =>
  /^(?:packages|services)\/.*\/src\//.test(path) &&
  !/^packages\/(?:verification|cli|contracts|standalone|sandbox|docs-site)\//.test(path) &&
  !isForTests(path);

type Metric = { name: string; kind: string; of: string; labels: string; help: string };

function kindOf(name: string, call: string): string {
  if (name.endsWith("_total")) return "counter";
  return call === "histogram" ? "histogram" : "gauge";
}

function metricsOf({ path, text }: Source): Metric[] {
  const [, folder = "", part = ""] = /^(\w+)\/([\w-]+)\//.exec(path) ?? [];
  const [, constant = ""] = new RegExp(String.raw`const help =\s*(${texts})`).exec(text) ?? [];
  return [...text.matchAll(definition)].map(({ groups = {} }) => {
    const { name = "", call = "", help = "", labels = "" } = groups;
    const written = help === "help" ? constant : help;
    return {
      name,
      kind: kindOf(name, call),
      of: folder === "services" ? part : part === "chassis" ? "every service" : part,
      labels: [...labels.matchAll(/"(\w+)"/g)].map(([, label]) => `\`${label}\``).join(", "),
      help: [...written.matchAll(/"([^"]*)"/g)].map(([, each]) => each).join(""),
    };
  });
}

/** Returns the page of all metrics, and the names that the sources have. */
export function metricsPage(all: readonly Source[]): { page: string; names: string[] } {
  const sources = all.filter(isMetricSource);
  const metrics = sources.flatMap(metricsOf).sort((one, two) => (one.name < two.name ? -1 : 1));
  const rows = metrics.map(
    ({ name, kind, of, labels, help }) => `| \`${name}\` | ${kind} | ${of} | ${labels} | ${help} |`,
  );
  const lines = [
    head,
    "| metric | kind | of | labels | meaning |",
    "| --- | --- | --- | --- | --- |",
  ];
  const names = sources.flatMap(({ text }) =>
    [...text.matchAll(/"(disburse_\w+)"/g)].map(([, name = ""]) => name),
  );
  return { page: `${[...lines, ...rows].join("\n")}\n`, names: [...new Set(names)] };
}

if (import.meta.main) {
  const { page } = metricsPage(readRepository().sources);
  writeFileSync(join(home, "docs/reference/metrics.md"), page);
}
