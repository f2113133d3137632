import type { ResidentProcess } from "./measures/process-usage.ts";
import { table } from "./table.ts";

/** What the processes of the standalone platform have in memory, in MB. */
export type MemorySample = {
  readonly payouts: number;
  readonly total_mb: number;
  /** The most in all since the sample before. */
  readonly peak_mb: number;
  /** All six services and their npm start. */
  readonly platform_mb: number;
  readonly engine_mb: number;
  readonly broker_mb: number;
  /** Launcher, supervisors, and Erlang's small ones. */
  readonly rest_mb: number;
};

const megabyte = 1_024 * 1_024;

/** Which part of the standalone a process is. */
function partOf({ name, command }: ResidentProcess): "platform" | "engine" | "broker" | "rest" {
  if (name === "beam.smp") return "broker";
  if (name === "sh") return "rest";
  if (command.includes("engine-host.ts")) return "engine";
  return /standalone\/src\/main\.ts/.test(command) && !/launch\.mjs/.test(command)
    ? "platform"
    : "rest";
}

/** One line of the table: the memory of every process of the tree. */
export function memorySample(
  payouts: number,
  processes: readonly ResidentProcess[],
  peakBytes: number,
): MemorySample {
  const inMegabytes = (bytes: number) => Math.round(bytes / megabyte);
  const of = (part: string) =>
    inMegabytes(sumOf(processes.filter((process) => partOf(process) === part)));
  return {
    payouts,
    total_mb: inMegabytes(sumOf(processes)),
    peak_mb: inMegabytes(Math.max(peakBytes, sumOf(processes))),
    platform_mb: of("platform"),
    engine_mb: of("engine"),
    broker_mb: of("broker"),
    rest_mb: of("rest"),
  };
}

/** The resident memory of processes, in bytes. What two share counts twice. */
export function sumOf(processes: readonly ResidentProcess[]): number {
  return processes.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The bound (the project's own), and when it and flatness begin to count. */
const totalMaxMb = 700;
const countsFrom = 10_000;
/** What garbage collection and caches go up and down by. */
const flatWithin = 1.1;

/** What is wrong with the samples: too much, or ever more. */
export function memoryFaults(samples: readonly MemorySample[]): string[] {
  const counted = samples.filter(({ payouts }) => payouts >= countsFrom);
  const [first] = counted;
  return counted.flatMap(({ payouts, total_mb }) => {
    const isTooMuch = total_mb >= totalMaxMb;
    const grows = total_mb > (first?.total_mb ?? 0) * flatWithin;
    return [
      ...(isTooMuch ? [`${total_mb} MB after ${payouts} payouts: not under ${totalMaxMb}`] : []),
      ...(grows ? [`${total_mb} MB after ${payouts} payouts, ${first?.total_mb} before`] : []),
    ];
  });
}

/** The samples as a person reads them. */
export function memoryTable(samples: readonly MemorySample[]): string {
  const head = ["payouts", "in all", "peak", "platform", "engine", "broker", "rest"];
  const rows = samples.map((each) => [
    each.payouts.toLocaleString("en-US"),
    ...[each.total_mb, each.peak_mb, each.platform_mb, each.engine_mb].map(String),
    ...[each.broker_mb, each.rest_mb].map(String),
  ]);
  return `Resident memory of npm start, MB\n${table(head, rows)}`;
}
