import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statement, statusReport } from "../iso20022/reports/test-reports.ts";
import type { FileVerdict } from "../matching/judge.ts";
import { sentPayment } from "../matching/test-sent.ts";
import { achLines } from "../test-disguises.ts";
import { anyAccount } from "./any-account.ts";
import { openInWorker, openWithin } from "./open-in-worker.ts";
import { type OpenedFile, openHere, ReadingFailed } from "./opened-file.ts";

/** A worker starts in about a second; on a busy machine it takes longer. */
const limits = { heapMb: 64, timeoutMs: 60_000 };
const testTimeoutMs = 90_000;

const text = (content: string) => new TextEncoder().encode(content);
const payments = (count: number) =>
  statusReport(
    `<OrgnlGrpInfAndSts/>${`<OrgnlPmtInfAndSts>${"<TxInfAndSts><OrgnlEndToEndId>E7</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>".repeat(count)}</OrgnlPmtInfAndSts>`.repeat(2)}`,
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

/** Expects that one worker was started and has ended. */
function expectNoWorker(): void {
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
}

const sent = Array.from({ length: 1_200 }, (_each, at) => sentPayment(at + 1));
const pieces = [sent.slice(0, 700), sent.slice(700)];

/** A report that rejects the file of all payments. */
const refusedFile = statusReport(
  "<OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts>",
);

async function verdictsOf(opened: OpenedFile, given = pieces): Promise<FileVerdict[]> {
  const all: FileVerdict[] = [];
  for await (const piece of opened.judge(given)) {
    expect(piece.length).toBeLessThanOrEqual(500);
    all.push(...piece);
  }
  return all;
}

describe("a file opened in a worker", () => {
  it.each([
    ["a statement", statement("")],
    ["a NACHA file", text(achLines().join("\n"))],
    ["several documents", text(`${achLines().join("\n")}\n`.repeat(3))],
    ["many payments", payments(1_200)],
  ])(
    "is judged as in this thread, again and again: %s",
    async (_, bytes) => {
      const before = bytes.slice();
      const there = await openInWorker(limits)(bytes, anyAccount);
      const here = await openHere(bytes, anyAccount);
      if (isRefused(there) || isRefused(here)) throw new Error("was not read");
      expect(there.summary).toEqual(here.summary);
      const expected: FileVerdict[] = [];
      for await (const piece of here.judge(pieces)) expected.push(...piece);
      expect(await verdictsOf(there)).toEqual(expected);
      expect(await verdictsOf(there)).toEqual(expected);
      await there.close();
      expect(bytes).toEqual(before);
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it.each([
    ["a file that cannot be read", text("hello")],
    ["nothing", new Uint8Array()],
  ])(
    "is refused as in this thread: %s",
    async (_, bytes) => {
      expect(await openInWorker(limits)(bytes, anyAccount)).toEqual(
        await openHere(bytes, anyAccount),
      );
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it(
    "fails where it needs more memory than it may have",
    async () => {
      const open = openInWorker({ heapMb: 16, timeoutMs: 60_000 });
      await expect(open(payments(400_000), anyAccount)).rejects.toThrow(ReadingFailed);
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it(
    "fails where it takes longer than it may",
    async () => {
      const open = openInWorker({ heapMb: 512, timeoutMs: 50 });
      await expect(open(payments(400_000), anyAccount)).rejects.toThrow("timed out");
      expectNoWorker();
    },
    testTimeoutMs,
  );

  it("is read and judged in this thread where it is small and about few payments", async () => {
    const opened = await openWithin(limits)(refusedFile, anyAccount);
    if (isRefused(opened)) throw new Error("was not read");
    expect(await verdictsOf(opened, [sent.slice(0, 50), sent.slice(50, 100)])).toHaveLength(100);
    expect(workers).toEqual([]);
  });

  it(
    "is judged in a worker where it is small and about many payments, again and again",
    async () => {
      const opened = await openWithin(limits)(refusedFile, anyAccount);
      if (isRefused(opened)) throw new Error("was not read");
      for (const attempt of [1, 2]) {
        const verdicts = await verdictsOf(opened, pieces);
        expect(verdicts.map(({ verdict }) => verdict)).toEqual(sent.map(() => "rejected"));
        expect(workers.map(({ threadId }) => threadId)).toEqual(Array(attempt).fill(-1));
      }
      await opened.close();
    },
    testTimeoutMs,
  );
});
