import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { SentPayment } from "../matching/sent-payment.ts";
import { anyAccount } from "../reading/any-account.ts";
import { openWithin } from "../reading/open-in-worker.ts";
import { sentFile } from "./files.ts";

/** The limits that a rail sets for its reader. */
const limits = { heapMb: 512, timeoutMs: 600_000 } as const;

const sampleMs = 5;

/** Yields our payments in pieces, as a rail does. */
function* sentPayments(ids: readonly string[]): Generator<SentPayment[]> {
  for (let from = 0; from < ids.length; from += 1_000) {
    yield ids.slice(from, from + 1_000).map((payoutId) => ({
      payoutId,
      messageId: sentFile,
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
 * Reads and judges a file as a rail does, and measures the calling thread meanwhile. Returns the
 * longest pause of the event loop, and the most CPU time between two samples, which does not depend
 * on other processes. `ids` are the payments to judge. The default is the payments that the file
 * names.
 */
export async function measureReading(
  name: string,
  bytes: Uint8Array,
  ids?: readonly string[],
): Promise<string> {
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
  // A pause is measured between two samples, so the work needs a sample before and one after it.
  await setTimeout(2 * sampleMs);
  const file = await openWithin(limits)(bytes, anyAccount);
  if (isRefused(file)) throw new Error(file.detail);
  let verdicts = 0;
  for await (const piece of file.judge(sentPayments(ids ?? file.summary.wanted.payoutIds))) {
    verdicts += piece.length;
  }
  await file.close();
  await setTimeout(2 * sampleMs);
  delay.disable();
  const ms = Math.round(performance.now() - started);
  clearInterval(samples);
  const pause = Math.round(delay.max / 1e6);
  const cpu = Math.round(mostCpu / 1e3);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  return `${name}, ${bytes.length} bytes, ${verdicts} verdicts, in a worker with ${limits.heapMb} MiB: ${ms} ms, longest pause ${pause} ms (${cpu} ms of processor time), peak of the process ${peak} MiB\n`;
}
