import { monitorEventLoopDelay } from "node:perf_hooks";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { JudgingProfile } from "../matching/judge.ts";
import type { SentPayment } from "../matching/sent-payment.ts";
import { openInWorker } from "../reading/open-in-worker.ts";

/** What a rail allows its reader. */
const limits = { heapMb: 512, timeoutMs: 600_000 } as const;

const sampleMs = 5;

const profile: JudgingProfile = {
  accounts: [],
  returnChargesMax: 0n,
  statusSettles: false,
  notExecutedCodes: new Set(),
  entriesSettle: true,
};

/** Payments of ours in pieces, as a rail gives them. */
function* sentPayments(ids: readonly string[]): Generator<SentPayment[]> {
  for (let from = 0; from < ids.length; from += 1_000) {
    yield ids.slice(from, from + 1_000).map((payoutId) => ({
      payoutId,
      endToEndId: payoutId.slice("po_".length).toUpperCase(),
      amount: { minor: 1_234n, currency: "USD" },
      state: "sent",
      debits: [],
      returns: [],
      charges: [],
    }));
  }
}

/**
 * Reads and judges a file in its worker, and measures this thread meanwhile: the longest pause of
 * its event loop, and the most processor time between two samples, which no other load changes.
 */
export async function measureReading(name: string, bytes: Uint8Array): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  let last = process.threadCpuUsage();
  let mostCpu = 0;
  const samples = setInterval(() => {
    const now = process.threadCpuUsage();
    mostCpu = Math.max(mostCpu, now.user + now.system - last.user - last.system);
    last = now;
  }, sampleMs);
  const started = performance.now();
  delay.enable();
  const file = await openInWorker(limits)(bytes, profile);
  if (isRefused(file)) throw new Error(file.detail);
  let verdicts = 0;
  for await (const piece of file.judge(sentPayments(file.summary.wanted.payoutIds))) {
    verdicts += piece.length;
  }
  await file.close();
  delay.disable();
  const ms = Math.round(performance.now() - started);
  clearInterval(samples);
  const pause = Math.round(delay.max / 1e6);
  const cpu = Math.round(mostCpu / 1e3);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  return `${name}, ${bytes.length} bytes, ${verdicts} verdicts, in a worker with ${limits.heapMb} MiB: ${ms} ms, longest pause ${pause} ms (${cpu} ms of processor time), peak of the process ${peak} MiB\n`;
}
