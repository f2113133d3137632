import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statement, statusReport } from "../iso20022/reports/test-reports.ts";
import { readBankFile } from "../read.ts";
import { achLines } from "../test-disguises.ts";
import { readInWorker } from "./read-in-worker.ts";

/** A worker starts in a second or so, on a busy machine in some more. */
const limits = { heapMb: 64, timeoutMs: 60_000 };
const testTimeoutMs = 90_000;

const text = (content: string) => new TextEncoder().encode(content);
const payments = (count: number) =>
  statusReport(
    `<OrgnlGrpInfAndSts/>${`<OrgnlPmtInfAndSts>${"<TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>".repeat(count)}</OrgnlPmtInfAndSts>`.repeat(2)}`,
  );

const workers: Worker[] = [];
const seen = (message: unknown) => {
  if (typeof message !== "object" || message === null || !("worker" in message)) return;
  if (message.worker instanceof Worker) workers.push(message.worker);
};

beforeEach(() => subscribe("worker_threads", seen));
afterEach(() => {
  unsubscribe("worker_threads", seen);
  workers.length = 0;
});

/** One worker was started, and has ended. */
function expectNoWorker(): void {
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
}

describe("a file read in a worker", () => {
  it.each([
    ["a statement", statement("")],
    ["a NACHA file", text(achLines().join("\n"))],
    ["several documents", text(`${achLines().join("\n")}\n`.repeat(3))],
    ["many payments", payments(3_000)],
    ["a file that cannot be read", text("hello")],
    ["nothing", new Uint8Array()],
  ])(
    "is what it is in this thread: %s",
    async (_, bytes) => {
      const before = bytes.slice();
      expect(await readInWorker(bytes, limits)).toEqual(readBankFile(bytes));
      expect(bytes).toEqual(before);
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it(
    "fails where it needs more memory than it may have",
    async () => {
      const reading = readInWorker(payments(400_000), { heapMb: 16, timeoutMs: 60_000 });
      await expect(reading).rejects.toMatchObject({ name: "ReadingFailed", reason: "memory" });
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it(
    "fails where it takes longer than it may",
    async () => {
      const reading = readInWorker(payments(400_000), { heapMb: 512, timeoutMs: 50 });
      await expect(reading).rejects.toMatchObject({ name: "ReadingFailed", reason: "time" });
      expectNoWorker();
    },
    testTimeoutMs,
  );
});
