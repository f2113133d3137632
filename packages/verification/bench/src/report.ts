import type { BenchFigures } from "./figures.ts";
import { rounded } from "./measures/percentile.ts";

type Named = readonly [string, unknown];

const loop = ["per_s", "p50_ms", "p99_ms"];
const work = ["mongo_ops_total", "document_writes", "journal_bytes"];
const webhook = ["webhook.p50_ms", "webhook.p99_ms"];
const cpu = ["cpu_us_total", "rest_cpu_us"];
const ended = ["unavailable", "kept_up"];

/** Formats all figures as Markdown. Column names equal those of `--json`. */
export function report(figures: BenchFigures): string {
  const { machine, concurrency, ledger, hot_account, flat, webhooks, batches } = figures;
  const scenarios = Object.entries(figures.scenarios);
  const processes = Object.keys(scenarios[0]?.[1].cpu_us ?? {}).map((name) => `cpu_us.${name}`);
  const rates = (figures.scenarios.merchants?.fixed_rates ?? []).map((each): Named => {
    return [String(each.rate), each];
  });
  const naive = ["naive_cpu_ratio", "naive.per_s", "naive_ratio"];
  const [alone, beside] = ["alone", "beside"].map((name) => [`${name}.p50_ms`, `${name}.p99_ms`]);
  return [
    `Commit ${machine.commit}, ${machine.date}: ${machine.cpu}, ${machine.memory_gb} GB, ` +
      `${machine.os}, Node ${machine.node}, MongoDB ${machine.mongodb}. ` +
      `Load average before the run: ${machine.load_before}. LOG_LEVEL=${machine.log_level}.`,
    machine.engine,
    ...headline(figures),
    ...tableOf(`${concurrency} requests at a time, and one at a time`, scenarios, [
      ...[...loop, "one_at_a_time.p50_ms", ...webhook, ...ended],
    ]),
    ...tableOf(
      "Cost of a request in all server processes, and the naive program in the same run. " +
        "`rest_cpu_us` is the work of the idle platform in the same time, which `cpu_us` leaves out",
      scenarios,
      [...cpu, ...naive, ...work],
    ),
    ...tableOf("CPU time of a request by process, in µs", scenarios, processes),
    ...restLine("At rest", figures.at_rest),
    ...restLine("At rest with history", figures.history?.at_rest),
    ...tableOf("Lifecycles at fixed rates, by those begun per second", rates, [
      ...[...loop, ...webhook, ...cpu, ...ended],
    ]),
    ...tableOf("The ledger's step alone: hold and settle of one transfer", named(ledger), [
      ...["clients", "accounts", ...loop, "cpu_us.ledger", "cpu_us.engine", "cpu_us_total"],
      ...[...work, "kept_up"],
    ]),
    ...tableOf("Executes per second from one account and from many", named(hot_account), [
      ...["one_per_s", "many_per_s", "accounts", "ratio", "ratio_min"],
    ]),
    ...tableOf("p50 with few payouts and with many", Object.entries(flat), [
      ...["few", "many", "few_p50_ms", "many_p50_ms", "ratio", "is_flat"],
    ]),
    ...tableOf(
      "A backlog of webhooks drains while new events arrive; new events without it and beside it",
      named(webhooks),
      [
        ...["backlog", "drained_per_s", ...(alone ?? []), ...(beside ?? []), "p99_ratio"],
        ...["cpu_us.notifier", "cpu_us.engine", "mongo_ops_total", "lost", "duplicates"],
      ],
    ),
    ...tableOf("One batch from its upload to its report", named(batches), [
      ...[
        "lines",
        "executed",
        "validate_s",
        "upload_s",
        "execute_s",
        "settle_s",
        "report_s",
        "report_kib",
      ],
      ...["peak_mib.gateway", "peak_mib.payout"],
    ]),
    ...tableOf(
      "Database commands of that batch by step, with the work at rest in that time",
      named(batches),
      [...["validate", "upload", "execute", "settle", "report"].map((name) => `mongo_ops.${name}`)],
    ),
    `${figures.seconds_in_all} s in all`,
  ].join("\n\n");
}

/**
 * Reports the `merchants` scenario, which has many merchants with history, like a platform in use.
 */
function headline({ scenarios: { merchants }, history }: BenchFigures): string[] {
  if (merchants === undefined || history === undefined) return [];
  const { cpu_us_total, rest_cpu_us, naive_cpu_ratio, naive_ratio, journal_bytes } = merchants;
  const milliseconds = (us: number) => `${rounded(us / 1_000, 1)} ms`;
  return [
    `**A lifecycle of many merchants with history** (${cell(history.merchants)} merchants, ` +
      `${cell(history.payouts_each)} payouts each before the run): ` +
      `${milliseconds(cpu_us_total)} of CPU, ${cell(naive_cpu_ratio)} × the naive program's, and ` +
      `${milliseconds(rest_cpu_us)} of work at rest; ${merchants.per_s} per second, ` +
      `${naive_ratio} of the naive program's; ${cell(journal_bytes)} bytes of journal.`,
  ];
}

function restLine(name: string, rest: BenchFigures["at_rest"]): string[] {
  if (rest === undefined) return [];
  const shares = Object.entries(rest.cpu_share).map(([each, share]) => {
    return `${each} ${share === null ? "–" : rounded(share * 100, 1)} %`;
  });
  return [
    `${name}: ${rest.mongo_ops} commands per second, and of one processor ${shares.join(", ")}`,
  ];
}

const named = (figures: unknown): Named[] => (figures === undefined ? [] : [["", figures]]);

/** Returns nothing if there are no measurements. */
function tableOf(title: string, rows: readonly Named[], paths: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const heads = paths.map((path) => path.replaceAll(".", " "));
  const cells = rows.map(([name, row]) => [name, ...paths.map((path) => cell(at(row, path)))]);
  return [title, table(["", ...heads], cells)];
}

function at(row: unknown, path: string): unknown {
  return path.split(".").reduce((of, name) => {
    return (of as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }, row);
}

/** Formats a number with thousands separators, or a dash for none. */
function cell(value: unknown): string {
  if (typeof value === "number") return value.toLocaleString("en-US", { maximumFractionDigits: 3 });
  if (typeof value === "boolean") return value ? "yes" : "NO";
  return String(value ?? "–");
}

/** Pads a Markdown table, so that it is readable in a terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => {
    return Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length));
  });
  const line = (row: readonly string[]) => {
    const [first = "", ...rest] = row;
    const [width = 0, ...widthsOfRest] = widths;
    const cells = rest.map((text, column) => text.padStart(widthsOfRest[column] ?? 0));
    return `| ${[first.padEnd(width), ...cells].join(" | ")} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? "" : ":").padStart(width, "-"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
