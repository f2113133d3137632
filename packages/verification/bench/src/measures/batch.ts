import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { say } from "@disburse/harness/command-line.ts";
import type { Target } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { lessUsage, readUsage } from "./counters.ts";
import { untilSettled } from "./money.ts";
import { rounded } from "./percentile.ts";

export type BatchFigures = {
  readonly lines: number;
  /** Fewer than `lines` if the time for the step `execute` was over. */
  readonly executed: number;
  /**
   * Seconds for each step: until the response, until all payouts exist, and from then until all are
   * settled.
   */
  readonly validate_s: number;
  readonly upload_s: number;
  readonly execute_s: number;
  readonly settle_s: number;
  readonly report_s: number;
  readonly report_kib: number;
  /** Database commands by step. They include the platform's work at rest in that time. */
  readonly mongo_ops: Readonly<Record<string, number>>;
  /** The largest resident memory since the start of each process, in MiB. */
  readonly peak_mib: Readonly<Record<string, number>>;
};

/** A batch of 10,000 lines takes minutes. On a busy machine, the last lines are cancelled. */
const executeWithinMs = 600_000;
const pollMs = 500;

/** Uploads, approves, settles and reports one batch of a merchant. */
export async function measureBatch(
  platform: BenchPlatform,
  { baseUrl, apiKey, accountId, beneficiaryId }: Target,
  lines: number,
): Promise<BatchFigures> {
  const authorization = `Bearer ${apiKey}`;
  const path = `${baseUrl}/transfer/batches`;
  const call = async (url: string, type?: string, body?: string): Promise<string> => {
    const sent = type === undefined ? {} : { method: "POST", body: body ?? "{}" };
    const headers = { authorization, ...(type !== undefined && { "content-type": type }) };
    const answer = await fetch(url, { ...sent, headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`);
    return text;
  };
  const file = fileOf(accountId, beneficiaryId, lines);
  const mongo_ops: Record<string, number> = {};
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<[number, T]> => {
    const before = await readUsage(platform.mongo, {});
    const result = await work();
    const { elapsedMs, engine } = lessUsage(await readUsage(platform.mongo, {}), before);
    const seconds = rounded(elapsedMs / 1_000, 2);
    mongo_ops[name] = engine.commands;
    say(`a batch of ${lines} lines, ${name}: ${seconds} s, ${engine.commands} commands`);
    return [seconds, result];
  };
  const [validate_s] = await timed("validate", () => call(`${path}/validate`, "text/csv", file));
  const [upload_s, created] = await timed("upload", () => call(path, "text/csv", file));
  const { id, source_total } = JSON.parse(created).data as Batch;
  const approval = JSON.stringify({ max_total_amount: String(source_total.amount) });
  const [execute_s, executed] = await timed("execute", async () => {
    await call(`${path}/${id}/approve`, "application/json", approval);
    const cancel = () => call(`${path}/${id}/cancel`, "application/json");
    return untilEnded(() => call(`${path}/${id}`), cancel);
  });
  const [settle_s] = await timed("settle", () => untilSettled(platform.databases));
  const [report_s, report] = await timed("report", () => call(`${path}/${id}/report.csv`));
  const steps = { validate_s, upload_s, execute_s, settle_s, report_s };
  const report_kib = rounded(Buffer.byteLength(report) / 1_024, 0);
  return { lines, executed, ...steps, report_kib, mongo_ops, peak_mib: peaksOf(platform) };
}

type Batch = {
  readonly id: string;
  readonly state: string;
  readonly executed_count: number;
  readonly failed_count: number;
  readonly source_total: { readonly amount: number };
};

function fileOf(accountId: string, beneficiaryId: string, lines: number): string {
  const header =
    "account_id,source_currency_code,destination_currency_code,beneficiary_id,source_amount,reference_id";
  const terms = `${accountId},USD,USDC_ETH,${beneficiaryId},10.00`;
  const rows = Array.from({ length: lines }, (_each, at) => `${terms},salary-${at}`);
  return [header, ...rows].map((row) => `${row}\r\n`).join("");
}

/** Waits for the end of the batch, cancels it when it takes too long, and returns its paid lines. */
async function untilEnded(read: () => Promise<string>, cancel: () => Promise<string>) {
  const endsAt = performance.now() + executeWithinMs;
  for (let isCancelled = false; ; ) {
    const { state, executed_count, failed_count } = JSON.parse(await read()).data as Batch;
    if (failed_count > 0) throw new Error(`${failed_count} lines failed`);
    if (state !== "running") return executed_count;
    if (!isCancelled && performance.now() > endsAt) {
      say(`${executed_count} lines are executed: cancelling the others`);
      await cancel();
      isCancelled = true;
    }
    await pause(pollMs);
  }
}

/** Reads the peak memory of the services; empty where the system does not report it. */
function peaksOf({ pids }: BenchPlatform): Record<string, number> {
  if (process.platform !== "linux") return {};
  const services = Object.entries(pids).filter(([name]) => ["gateway", "payout"].includes(name));
  const peaks = services.flatMap(([name, pid]): [string, number][] => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    return kib === undefined ? [] : [[name, rounded(Number(kib) / 1_024, 0)]];
  });
  return Object.fromEntries(peaks);
}
