import type { quality, verdictsOf } from "./recall.ts";
import type { speedOf } from "./speed.ts";

type Speed = ReturnType<typeof speedOf>;
type Verdicts = ReturnType<typeof verdictsOf>;

/** All measurements, as written by `--json`; shares in [0, 1], times in milliseconds. */
export type Report = ReturnType<typeof quality> & {
  readonly configurationVersion: string;
  readonly entries: number;
  readonly queries: number;
  /** Verdicts on each set of queries, by the name of its file. */
  readonly sets: readonly (Verdicts & { readonly name: string })[];
  /** The speed over all sets, by the party's type. */
  readonly speed: readonly (Speed & { readonly type: string; readonly queries: number })[];
  /** Absent if you measure your own queries. */
  readonly peers?: {
    /** The same queries on more entries of the same vocabulary. */
    readonly larger: Speed & { readonly entries: number };
    readonly plainScan: Speed & { readonly queries: number };
  };
};

/** Results of other matchers on the query set, as published in its README. */
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

export function printed(report: Report): string {
  const { entries, queries, configurationVersion: version, recall, kinds } = report;
  const ofRecall = (label: string, cell: (at: (typeof recall)[number]) => string): string =>
    row(label, recall.map(cell));
  return [
    `${queries} queries, ${entries} entries, configuration ${version}`,
    "",
    ofRecall("recall at a false-positive rate of", (at) => `${at.falsePositiveRate * 100}%`),
    ...(report.peers === undefined ? [] : peers).map(([name, ...values]) =>
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
    ...report.sets.flatMap(verdictRows),
    row("ms of one screening", ["p50", "p95", "p99"]),
    ...report.speed.flatMap((each) => speedRows(`${each.queries} of type ${each.type}`, each)),
    ...peerRows(report),
    "",
  ].join("\n");
}

function verdictRows({ name, mustBeFound, mustNot, kinds }: Report["sets"][number]): string[] {
  const cells = ({ held, blocked }: (typeof kinds)[number] | typeof mustNot): string[] =>
    [held, blocked].map((share) => (share * 100).toFixed(2));
  const counted = [
    { kind: "must be found", ...mustBeFound },
    { kind: "must not", ...mustNot },
  ].filter(({ count }) => count > 0);
  return [
    row(`verdicts on ${name}`, ["held", "blocked"]),
    ...counted.map((each) => row(`${each.kind} (${each.count})`, cells(each))),
    ...kinds.map((each) => row(`  ${each.kind} (${each.count})`, cells(each))),
    "",
  ];
}

function peerRows({ peers, entries }: Report): string[] {
  if (peers === undefined) return [];
  const { larger, plainScan } = peers;
  return [
    ...speedRows(`${larger.entries} entries, synthetic`, larger),
    ...speedRows(`plain Jaro-Winkler scan, ${entries} entries`, plainScan),
  ];
}

function speedRows(label: string, speed: Speed): string[] {
  const cells = (times: readonly number[]): string[] => times.map((ms) => ms.toFixed(2));
  return [
    row(label, cells([speed.p50, speed.p95, speed.p99])),
    row("  of the processor", cells([speed.cpuP50, speed.cpuP95, speed.cpuP99])),
  ];
}
