import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { answersOf, returnCharge } from "@disburse/bank-simulator/answers.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateXML } from "xmllint-wasm";
import { payment, swiftProfile } from "./iso20022/initiation/test-payments.ts";
import { writeInitiation } from "./iso20022/initiation/write.ts";
import { statementBalance } from "./matching/balance.ts";
import { entryVerdicts } from "./matching/entry-verdicts.ts";
import { type SentPayment, SentPayments, type SentState } from "./matching/sent-payment.ts";
import { statusVerdicts } from "./matching/status-verdicts.ts";
import type { Verdict } from "./matching/verdict.ts";
import { endToEndIdOf } from "./references.ts";
import { readOnlyStatement, readOnlyStatus } from "./test-read.ts";

const outcomes = [
  ...(["settled", "rejected", "duplicate", "returned", "returned-short", "waiting"] as const),
];
type FileOutcome = (typeof outcomes)[number];

/** A file of `count` payments, as a rail would store it, with its payments. */
function sentFile(count: number, batchBooking: boolean) {
  const payments = Array.from({ length: count }, (_, at) =>
    payment(at, { amount: { minor: BigInt(1000 + at), currency: "USD" } }),
  );
  const createdAt = new Date("2026-11-24T09:30:00.000Z");
  const profile = { ...swiftProfile, batchBooking };
  const file = writeInitiation(profile, { messageId: "DSB261124A1", createdAt, payments });
  if (isRefused(file)) throw new Error(JSON.stringify(file.faults));
  const paymentInformationId = file.batches[0]?.paymentInformationId ?? "";
  const sent = payments.map(({ payoutId, uetr, amount }): SentPayment => {
    return {
      ...{ payoutId, endToEndId: endToEndIdOf(payoutId), amount, state: "sent" },
      ...(uetr === undefined ? {} : { uetr }),
      ...{ messageId: "DSB261124A1", paymentInformationId, account: "000123456789" },
      ...{ debits: [], returns: [], charges: [] },
    };
  });
  return { bytes: file.bytes, sent };
}

const profile = {
  accounts: ["000123456789"],
  returnChargesMax: returnCharge,
  statusSettles: false,
  notExecutedCodes: new Set<string>(),
};

const states: Partial<Record<Verdict["verdict"], SentState>> = {
  settled: "debited",
  rejected: "rejected",
  returned: "returned",
};

/** The payments as a rail stores them after the verdicts. */
function after(sent: readonly SentPayment[], verdicts: readonly Verdict[]): SentPayment[] {
  return sent.map((each) => {
    const own = verdicts.filter((one) => "payoutId" in one && one.payoutId === each.payoutId);
    const state = own.map(({ verdict }) => states[verdict]).findLast((one) => one !== undefined);
    return state === undefined ? each : { ...each, state };
  });
}

describe("a file of ours, and the bank's replies", () => {
  const anyOutcomes = fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 20 });

  it("gives each payment the bank's outcome, and the account its balance", () => {
    fc.assert(
      fc.property(anyOutcomes, fc.boolean(), (each, inOneSum) => {
        const { bytes, sent } = sentFile(each.length, inOneSum);
        // A block in one sum contains all payments that were not rejected, so it settles them all.
        const taken = each.map((outcome) => {
          return inOneSum && (outcome === "waiting" || outcome === "duplicate")
            ? "settled"
            : outcome;
        });
        const replies = answersOf(bytes, taken);
        const report = readOnlyStatus(replies.statusReport);
        const file = readOnlyStatement(replies.statement);
        expect([...report.unread, ...file.unread]).toEqual([]);
        const onStatus = statusVerdicts(report, new SentPayments(sent), profile);
        const accepted = after(sent, onStatus);
        const [statement] = file.statements;
        const onEntries = entryVerdicts(
          statement!,
          "statement",
          new SentPayments(accepted),
          profile,
        );
        const found = [...onStatus, ...onEntries];
        expect(found.filter(({ verdict }) => verdict === "unmatched")).toEqual([]);
        const end = after(accepted, onEntries).map(({ state }) => state);
        const expected: Record<FileOutcome, SentState> = {
          ...{ settled: "debited", rejected: "rejected", duplicate: "sent" },
          ...{ returned: "returned", "returned-short": "returned", waiting: "sent" },
        };
        expect(end).toEqual(taken.map((outcome) => expected[outcome]));
        const unknowns = found.flatMap((one) => (one.verdict === "unknown_outcome" ? one.why : []));
        expect(new Set(unknowns)).toEqual(
          new Set(taken.includes("duplicate") ? ["rejected-as-duplicate"] : []),
        );
        const short = found.flatMap((one) => (one.verdict === "returned" ? (one.short ?? []) : []));
        const shortCount = taken.filter((outcome) => outcome === "returned-short").length;
        expect(short.map(({ minor }) => minor)).toEqual(Array(shortCount).fill(returnCharge));
        expect(statementBalance(statement!)?.difference.minor).toBe(0n);
        expect(statementBalance(statement!)?.closing.minor).toBe(
          replies.bank.book.balance("000123456789"),
        );
        // Notifications reported the same before, so the statement adds nothing.
        let notifiedOf = accepted;
        for (const notified of replies.notifications) {
          const read = readOnlyStatement(notified);
          expect(read.unread).toEqual([]);
          notifiedOf = after(
            notifiedOf,
            entryVerdicts(
              read.statements[0]!,
              "notification",
              new SentPayments(notifiedOf),
              profile,
            ),
          );
        }
        expect(notifiedOf.map(({ state }) => state)).toEqual(end);
      }),
    );
  });

  const folder = join(import.meta.dirname, "../../../../shared/data/rails/iso20022/xsd");
  const reason = existsSync(folder) ? "" : " (skipped: ../shared/data/rails is not here)";

  it.skipIf(reason !== "")(`is answered by the schemas of ISO 20022${reason}`, async () => {
    const replies = answersOf(sentFile(outcomes.length, false).bytes, outcomes);
    const inOneSum = answersOf(sentFile(outcomes.length, true).bytes, outcomes);
    const files = [
      ["pain.002.001.11", replies.statusReport],
      ["camt.053.001.08", replies.statement],
      ["camt.053.001.08", inOneSum.statement],
      ...replies.notifications.map((each) => ["camt.054.001.08", each] as const),
    ] as const;
    for (const [version, contents] of files) {
      const schema = readFileSync(join(folder, `${version}.xsd`), "utf8");
      const { errors } = await validateXML({ xml: { fileName: "file.xml", contents }, schema });
      expect(errors.map(({ message }) => message)).toEqual([]);
    }
  });
});
