import type { quality } from "./recall.ts";
import type { speedOf } from "./speed.ts";

type Speed = ReturnType<typeof speedOf>;

/** Everything that was measured, as `--json` writes it; shares in [0, 1], times in milliseconds. */
export type Report = ReturnType<typeof quality> & {
  readonly configurationVersion: string;
  readonly entries: number;
  readonly queries: number;
  readonly speed: Speed;
  /** The same queries to more entries of the same vocabulary. */
  readonly larger: Speed & { readonly entries: number };
  readonly plainScan: Speed & { readonly queries: number };
};

/** What others reach on the query set beside the project, as its README gives it. */
const peers: readonly (readonly [string, ...(number | undefined)[]])[] = [
  ["token-sorted Jaro-Winkler", 32.8, 42.5, 56.9],
  ["OFAC's own search, from its description", undefined, 55.7, 73.7],
  ["Watchman's name score, from its description", 36.0, 57.1, 71.2],
  ["a prototype, name only", 75.7, 92.3, 96.2],
  ["the same with birth date and country", 80.8, 95.4, 97.7],
];

const labelWidth = 46;
const cellWidth = 9;

const row = (label: string, cells: readonly string[]): string =>
  label.padEnd(labelWidth) + cells.map((cell) => cell.padStart(cellWidth)).join("");
const percent = (share: number): string => (share * 100).toFixed(1);

/** The report as text. `isPeersSet`: the peers were measured on these queries. */
export function printed(report: Report, isPeersSet: boolean): string {
  const { entries, queries, configurationVersion: version, recall, kinds, bands } = report;
  const ofRecall = (label: string, cell: (at: (typeof recall)[number]) => string): string =>
    row(label, recall.map(cell));
  return [
    `${queries} queries, ${entries} entries, configuration ${version}`,
    "",
    ofRecall("recall at a false-positive rate of", (at) => `${at.falsePositiveRate * 100}%`),
    ...(isPeersSet ? peers : []).map(([name, ...values]) =>
      row(
        name,
        values.map((value) => value?.toFixed(1) ?? "-"),
      ),
    ),
    ofRecall("this matcher", (at) => percent(at.recall)),
    ofRecall("  within (95%)", (at) => `+-${percent(at.within)}`),
    ofRecall("  one negative less", (at) => percent(at.around[0] ?? 0)),
    ofRecall("  one negative more", (at) => percent(at.around[1] ?? 0)),
    ofRecall("  threshold", (at) => at.threshold.toFixed(4)),
    "",
    ...kinds.map(({ kind, count, recalls }) => row(`${kind} (${count})`, recalls.map(percent))),
    "",
    row("at the configured bands", ["review", "block"]),
    row("must be found", [bands.held, bands.blocked].map(percent)),
    row("must not", [bands.falselyHeld, bands.falselyBlocked].map(percent)),
    row(
      "namesakes with another birth date",
      [bands.namesakesHeld, bands.namesakesBlocked].map(percent),
    ),
    "",
    row("ms of one screening", ["p50", "p95", "p99"]),
    ...speedRows(`${entries} entries`, report.speed),
    ...speedRows(`${report.larger.entries} entries, synthetic`, report.larger),
    ...speedRows(`plain Jaro-Winkler scan, ${entries} entries`, report.plainScan),
    "",
  ].join("\n");
}

function speedRows(label: string, speed: Speed): string[] {
  const cells = (times: readonly number[]): string[] => times.map((ms) => ms.toFixed(2));
  return [
    row(label, cells([speed.p50, speed.p95, speed.p99])),
    row("  of the processor", cells([speed.cpuP50, speed.cpuP95, speed.cpuP99])),
  ];
}
