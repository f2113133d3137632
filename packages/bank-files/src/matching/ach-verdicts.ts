import type { AchAddenda } from "../nacha/addenda.ts";
import type { AchBatch, AchEntry, ReadAch } from "../nacha/read.ts";
import { contradicts, type SentPayment, type SentPayments } from "./sent-payment.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";
import type { Source, Verdict } from "./verdict.ts";

/**
 * Maps the transaction code of a credit to that of its return or change (Nacha, appendix three).
 */
const responseCodes: Readonly<Record<string, string>> = { "22": "21", "32": "31" };

/**
 * Return codes with which the beneficiary's bank returns a credit (Nacha Operating Rules, appendix
 * four). R24 is excluded, because it reports a duplicate payment. Codes for debits, checks and
 * enrolments are excluded too, because they cannot apply to a credit.
 */
const returnCodes: ReadonlySet<string> = new Set([
  ...["R02", "R03", "R04", "R06", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20"],
  ...["R21", "R22", "R23", "R25", "R26", "R27", "R28", "R30", "R31", "R32", "R34", "R36"],
]);

/** Unknown outcomes after which a return alone does not prove that the money was returned. */
const contested: ReadonlySet<UnknownOutcome> = new Set([
  ...(["dishonoured", "contested", "returned-without-proof"] as const),
]);

/**
 * Yields a verdict for each return and change of a file. A return matches a payment by original
 * trace number, amount, company id and transaction code, because trace numbers repeat after years.
 * The caller may update `sent` after each verdict, and the next entry uses the updated state.
 */
export function* achVerdicts(file: ReadAch, sent: SentPayments): Generator<Verdict> {
  for (const batch of file.batches) {
    for (const entry of batch.entries) {
      const responses = entry.addenda.filter(({ kind }) => kind !== "information");
      // If an entry has both a return and its dishonour, only the dishonour counts.
      const [gravest] = responses.toSorted((a, b) => gravity(b) - gravity(a));
      yield* gravest === undefined
        ? withoutResponse(entry)
        : verdictsOf(batch, entry, gravest, sent);
    }
  }
}

/**
 * Reports an entry whose transaction code marks a return or change, but which has no addenda record
 * with the original trace number.
 */
function withoutResponse({ line, transactionCode, trace, cents }: AchEntry): Verdict[] {
  if (!Object.values(responseCodes).includes(transactionCode)) return [];
  const amount = { minor: cents, currency: "USD" };
  const source: Source = { place: `line ${line}`, reference: trace, code: "", amount };
  return [{ source, verdict: "unmatched", why: "no-reference" }];
}

function gravity({ kind }: AchAddenda): number {
  return ["information", "change", "return", "dishonoured", "contested"].indexOf(kind);
}

function verdictsOf(
  batch: AchBatch,
  entry: AchEntry,
  response: AchAddenda,
  sent: SentPayments,
): Verdict[] {
  if (response.kind === "information") return [];
  const { originalTrace, code } = response;
  const source: Source = {
    place: `line ${entry.line}`,
    reference: originalTrace,
    code,
    ...(response.kind !== "change" && { amount: { minor: entry.cents, currency: "USD" } }),
  };
  const traced = sent.ofTrace(originalTrace);
  if (traced.length === 0) return [{ source, verdict: "unmatched", why: "unknown" }];
  const own = traced.filter((payment) => isOfEntry(payment, batch, entry));
  if (own.length === 0) {
    const payoutIds = traced.map(({ payoutId }) => payoutId);
    return [{ source, verdict: "unmatched", why: "another-entry", payoutIds }];
  }
  // A change has no amount, so only returns are compared by amount.
  const isAmount = ({ amount }: SentPayment) => amount.minor === entry.cents;
  const fitting = response.kind === "change" ? own : own.filter(isAmount);
  const [payment = own[0], ...others] = fitting;
  if (payment === undefined || others.length > 0 || (fitting.length === 0 && own.length > 1)) {
    const payoutIds = own.map(({ payoutId }) => payoutId);
    return [{ source, verdict: "unmatched", why: "ambiguous", payoutIds }];
  }
  if (fitting.length === 0) return [unknown(source, payment, "amount-differs")];
  return [judged(source, payment, response, sent)];
}

function isOfEntry(payment: SentPayment, batch: AchBatch, entry: AchEntry): boolean {
  const { companyId, transactionCode } = payment;
  const responseCode = transactionCode && (responseCodes[transactionCode] ?? transactionCode);
  return (
    // All our payments are credits.
    entry.direction === "credit" &&
    !contradicts(companyId, batch.companyId) &&
    !contradicts(responseCode, entry.transactionCode)
  );
}

function judged(
  source: Source,
  payment: SentPayment,
  response: Exclude<AchAddenda, { kind: "information" }>,
  sent: SentPayments,
): Verdict {
  const { payoutId, amount, unknownOutcome } = payment;
  if (response.kind === "change") return { source, verdict: "change", payoutId, change: response };
  if (response.kind !== "return") return unknown(source, payment, response.kind);
  if (payment.state === "returned") return { source, verdict: "known", payoutId };
  if (payment.state === "rejected") return unknown(source, payment, "returned-after-rejection");
  // The file of a contested return may arrive again. It must not turn the unknown outcome into a
  // proven return.
  if (unknownOutcome !== undefined && contested.has(unknownOutcome))
    return unknown(source, payment, unknownOutcome);
  if (!returnCodes.has(response.code)) return unknown(source, payment, "returned-without-proof");
  sent.learn(payoutId, { state: "returned" });
  return { source, verdict: "returned", payoutId, amount, reason: { code: response.code } };
}

function unknown(source: Source, { payoutId }: SentPayment, why: UnknownOutcome): Verdict {
  return { source, verdict: "unknown_outcome", payoutId, why };
}
