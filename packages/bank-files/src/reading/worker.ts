import { parentPort, workerData } from "node:worker_threads";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { FileSummary } from "../matching/findings.ts";
import type { FileVerdict, JudgingProfile } from "../matching/judge.ts";
import type { SentPayment } from "../matching/sent-payment.ts";
import { openHere } from "./opened-file.ts";

/** The file and the judging settings of a new worker. */
export type WorkerInput = { readonly bytes: Uint8Array; readonly profile: JudgingProfile };

/**
 * A request to the worker. `payments` arrive in pieces. Verdicts follow after the last piece, and
 * again for each further request.
 */
export type WorkerRequest =
  | { readonly payments: readonly SentPayment[] }
  | { readonly wanted: "verdicts" };

/**
 * A reply of the worker. The first is a summary or a refusal. Each later request gets one piece of
 * verdicts, until the end is reported.
 */
export type WorkerReply =
  | { readonly unreadable: string }
  | { readonly summary: FileSummary }
  | { readonly verdicts: readonly FileVerdict[] }
  | { readonly isEnd: true };

/** The verdicts to send at once. Receiving them takes the caller a millisecond or two. */
const verdictsAtOnce = 500;

const { bytes, profile } = workerData as WorkerInput;
const reply = (message: WorkerReply) => parentPort?.postMessage(message);

const opened = await openHere(bytes, profile);
if (isRefused(opened)) {
  reply({ unreadable: opened.detail ?? "" });
} else {
  let payments: (readonly SentPayment[])[] = [];
  let pieces: AsyncGenerator<WorkerReply> | undefined;
  const judged = async function* (given: readonly (readonly SentPayment[])[]) {
    for await (const verdicts of opened.judge(given)) {
      for (let from = 0; from < verdicts.length; from += verdictsAtOnce) {
        yield { verdicts: verdicts.slice(from, from + verdictsAtOnce) };
      }
    }
  };
  const next = async () => {
    pieces ??= judged(payments);
    const { value } = await pieces.next();
    if (value !== undefined) return reply(value);
    pieces = undefined;
    payments = [];
    return reply({ isEnd: true });
  };
  parentPort?.on("message", (request: WorkerRequest) => {
    if ("payments" in request) payments.push(request.payments);
    // An error is not caught. It ends the thread, which the parent detects.
    else
      next().catch((error: unknown) => {
        setImmediate(() => {
          throw error;
        });
      });
  });
  reply({ summary: opened.summary });
}
