import { falsePositiveRates, type Report, type Speed } from "./report.ts";

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
const percent = (share: number): string => fixed(share * 100, 1);
const fixed = (value: number | undefined, digits: number): string =>
  value === undefined ? "-" : value.toFixed(digits);

/** The report as a person reads it. `isPeersSet`: the peers were measured on these queries. */
export function printed(report: Report, isPeersSet: boolean): string {
  const { entries, queries, configurationVersion: version } = report;
  return [
    `${queries} queries, ${entries} entries, configuration ${version}`,
    "",
    ...recallLines(report, isPeersSet),
    "",
    ...bandLines(report),
    "",
    ...speedLines(report),
    "",
  ].join("\n");
}

function recallLines({ recall, kinds }: Report, isPeersSet: boolean): string[] {
  const rates = falsePositiveRates.map((rate) => `${rate * 100}%`);
  const others = isPeersSet
    ? peers.map(([name, ...values]) =>
        row(
          name,
          values.map((value) => fixed(value, 1)),
        ),
      )
    : [];
  return [
    row("recall at a false-positive rate of", rates),
    ...others,
    row(
      "this matcher",
      recall.map((at) => percent(at.recall)),
    ),
    row(
      "  within (95%)",
      recall.map((at) => `+-${percent(at.within)}`),
    ),
    row(
      "  one negative less",
      recall.map((at) => percent(at.around[0])),
    ),
    row(
      "  one negative more",
      recall.map((at) => percent(at.around[1])),
    ),
    row(
      "  threshold",
      recall.map((at) => fixed(at.threshold, 4)),
    ),
    "",
    ...kinds.map(({ kind, count, recalls }) => row(`${kind} (${count})`, recalls.map(percent))),
  ];
}

function bandLines({ bands }: Report): string[] {
  return [
    row("at the configured bands", ["review", "block"]),
    row("must be found", [percent(bands.held), percent(bands.blocked)]),
    row("must not", [percent(bands.falselyHeld), percent(bands.falselyBlocked)]),
    row("namesakes with another birth date", [
      percent(bands.namesakesHeld),
      percent(bands.namesakesBlocked),
    ]),
  ];
}

function speedLines(report: Report): string[] {
  const { speed, larger, plainScan, entries } = report;
  const times = (label: string, some: Speed): string[] => [
    row(
      label,
      [some.p50, some.p95, some.p99].map((ms) => fixed(ms, 2)),
    ),
    row(
      "  of the processor",
      [some.cpuP50, some.cpuP95, some.cpuP99].map((ms) => fixed(ms, 2)),
    ),
  ];
  return [
    row("ms of one screening", ["p50", "p95", "p99"]),
    ...times(`${entries} entries`, speed),
    ...times(`${larger.entries} entries, synthetic`, larger),
    ...times(`plain Jaro-Winkler scan, ${entries} entries`, plainScan),
  ];
}
