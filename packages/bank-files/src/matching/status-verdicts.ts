import { present, type Reason } from "../iso20022/reports/report.ts";
import type {
  BatchStatus,
  PaymentStatus,
  ReportedStatus,
  StatusReport,
} from "../iso20022/reports/status-report.ts";
import { provenBy } from "./proof.ts";
import { contradicts, type SentPayment, type SentPayments } from "./sent-payment.ts";
import { mayBePaid, type UnknownOutcome } from "./unknown-outcome.ts";
import type { Source, Unmatched, Verdict } from "./verdict.ts";

/** Settings to judge the reports of a bank, from its handbook. */
export type StatusProfile = {
  /** True if ACSC and ACCC of this bank settle a payment. Otherwise only a booking settles it. */
  readonly statusSettles: boolean;
  /** Proprietary reason codes of the bank that mean "not executed", in capitals. */
  readonly notExecutedCodes: ReadonlySet<string>;
};

const settled: ReadonlySet<string> = new Set(["ACSC", "ACCC"]);

/** Statuses of a payment in progress (ISO 20022, `ExternalPaymentTransactionStatus1Code`). */
const onItsWay: ReadonlySet<string> = new Set([
  ...["RCVD", "ACTC", "ACCP", "ACFC", "ACSP", "ACWC", "ACWP", "PDNG", "PATC"],
]);

/** Statuses in which the bank may be waiting for a confirmation from the platform. */
const waitingForUs: ReadonlySet<string> = new Set(["ACFW", "RVMC", "RVNM"]);

/**
 * The parts of a report that apply to one payment: its own status, and those of its blocks and
 * files.
 */
type Applying = {
  readonly payment: SentPayment;
  readonly own: { readonly status: PaymentStatus; readonly place: string }[];
  readonly batches: Set<BatchStatus>;
  readonly groups: ReportedStatus[];
};

/**
 * The payments that an unmatched part may concern: one payment by its id, all of a block, or all of
 * the file.
 */
type About = string | BatchStatus | "file";

/**
 * Judges each payment of a status report. A payment's own status takes precedence over that of its
 * block, and that of the block over that of the file. The outcome is unknown if two of these
 * statuses contradict each other. Reasons on all levels count. A part that matches no payment may
 * belong to any payment of its block or file. If it contradicts the status of that block or file,
 * the outcome of these payments is unknown too.
 */
export function statusVerdicts(
  report: StatusReport,
  sent: SentPayments,
  profile: StatusProfile,
): Verdict[] {
  return new ReportJudge(report, sent, profile).verdicts();
}

class ReportJudge {
  readonly #report: StatusReport;
  readonly #sent: SentPayments;
  readonly #profile: StatusProfile;
  readonly #unmatched: Verdict[] = [];
  readonly #applying = new Map<string, Applying>();
  /** The payments, blocks and files whose rejection or settlement an unmatched part contradicts. */
  readonly #opposed = { rejected: new Set<About>(), settled: new Set<About>() };

  constructor(report: StatusReport, sent: SentPayments, profile: StatusProfile) {
    this.#report = report;
    this.#sent = sent;
    this.#profile = profile;
  }

  verdicts(): Verdict[] {
    const { group, original, batches } = this.#report;
    for (const [index, batch] of batches.entries()) {
      this.#batch(batch, `OrgnlPmtInfAndSts[${index + 1}]`);
    }
    const file = this.#sent.ofFile(original.messageId);
    if (file.length === 0 && hasContent(group)) {
      this.#miss("unknown-file", "OrgnlGrpInfAndSts", group);
    }
    for (const payment of file) this.#applyingTo(payment);
    for (const each of this.#applying.values()) each.groups.push(group);
    return [
      ...this.#unmatched,
      ...[...this.#applying.values()].flatMap((each) => this.#judge(each)),
    ];
  }

  #batch(batch: BatchStatus, place: string): void {
    const { messageId } = this.#report.original;
    const { paymentInformationId } = batch;
    const members = this.#sent.ofBatch(paymentInformationId);
    if (hasContent(batch) && members.length === 0) {
      this.#miss("unknown-batch", place, batch);
      this.#oppose(batch, ["file"]);
    }
    const isOfFile = this.#sent.ofFile(messageId).length > 0;
    if (isOfFile && members.some((member) => contradicts(member.messageId, messageId))) {
      this.#miss("contradicting-references", place, batch);
      for (const status of batch.payments) this.#opposeNamed(status, "file");
      return;
    }
    for (const member of members) this.#applyingTo(member).batches.add(batch);
    for (const [index, status] of batch.payments.entries()) {
      const at = `${place}/TxInfAndSts[${index + 1}]`;
      const found = this.#sent.find(status, ["endToEndId", "instructionId"]);
      // Banks may use their own numbers for blocks and files. So a number contradicts only if it is
      // that of another of our blocks or files.
      const isOther =
        typeof found !== "string" &&
        ((members.length > 0 && contradicts(found.paymentInformationId, paymentInformationId)) ||
          (isOfFile && contradicts(found.messageId, messageId)));
      if (typeof found === "string" || isOther) {
        this.#miss(typeof found === "string" ? found : "contradicting-references", at, status);
        this.#opposeNamed(status, members.length > 0 ? batch : "file");
      } else {
        const applying = this.#applyingTo(found);
        applying.own.push({ status, place: at });
        applying.batches.add(batch);
      }
    }
  }

  /**
   * Records that an unmatched part contradicts the payments that its references identify. If they
   * identify none, the part contradicts its whole block or file.
   */
  #opposeNamed(part: PaymentStatus, otherwise: BatchStatus | "file"): void {
    const named = this.#sent.anyOf(part).map(({ payoutId }) => payoutId);
    this.#oppose(part, named.length > 0 ? named : [otherwise]);
  }

  #oppose(part: ReportedStatus, about: readonly About[]): void {
    const status = part.status ?? part.unknownStatus;
    const isRejection = status === undefined || status === "RJCT";
    const { reasons } = part;
    const isProof =
      reasons.length === 0 || provenBy(reasons, this.#profile.notExecutedCodes) === "not-executed";
    for (const each of about) {
      if (!isRejection || !isProof) this.#opposed.rejected.add(each);
      if (status === "RJCT") this.#opposed.settled.add(each);
    }
  }

  #applyingTo(payment: SentPayment): Applying {
    const known = this.#applying.get(payment.payoutId);
    if (known !== undefined) return known;
    const applying: Applying = { payment, own: [], batches: new Set(), groups: [] };
    this.#applying.set(payment.payoutId, applying);
    return applying;
  }

  #miss(why: Unmatched, place: string, reported: PaymentStatus): void {
    const source: Source = {
      place,
      reference: referenceOf(reported),
      code: reasonCode(reported.reasons) ?? reported.status ?? "",
      ...(reported.amount !== undefined && { amount: reported.amount }),
    };
    this.#unmatched.push({ source, verdict: "unmatched", why });
  }

  #judge({ payment, own, batches, groups }: Applying): Verdict[] {
    const { payoutId, amount } = payment;
    const levels = [own.map(({ status }) => status), [...batches], groups];
    const statuses = levels
      .map((level) => level.flatMap((each) => each.status ?? each.unknownStatus ?? []))
      .find((level) => level.length > 0);
    const status = statuses?.at(-1);
    if (statuses === undefined || status === undefined) return [];
    // `PART` on a block or file says nothing about a payment without its own status.
    const isNamed = own.some((each) => each.status.status ?? each.status.unknownStatus);
    if (status === "PART" && !isNamed) return [];
    const reported = levels.flat();
    const reasons = reported.flatMap((each) => each.reasons);
    const source: Source = {
      place: own.at(-1)?.place ?? "OrgnlGrpInfAndSts",
      reference: own.map((each) => referenceOf(each.status)).find(Boolean) ?? payment.endToEndId,
      code: reasonCode(reasons) ?? status,
      amount,
    };
    const unknown = (why: UnknownOutcome): Verdict[] => {
      return [{ source, verdict: "unknown_outcome", payoutId, why }];
    };
    const isOther = own.some((each) => {
      const { minor, currency } = each.status.amount ?? amount;
      return minor !== amount.minor || currency !== amount.currency;
    });
    if (isOther) return unknown("amount-differs");
    const has = (test: (status: string) => boolean) =>
      reported.some((each) => each.status !== undefined && test(each.status));
    const isRejected = has((each) => each === "RJCT");
    const isContradicted =
      has((each) => settled.has(each)) || statuses.some((each) => each !== "RJCT");
    if (isRejected && isContradicted) return unknown("contradicting-levels");
    const bankReference = own.findLast((each) => each.status.bankReference !== undefined)?.status
      .bankReference;
    const verdict = isRejected
      ? this.#rejected(payment, reasons)
      : this.#unrejected(payment, status, bankReference);
    if (verdict.verdict === "rejected" || verdict.verdict === "settled") {
      const opposed = this.#opposed[verdict.verdict];
      // An unmatched part without references cannot concern a payment that has its own status.
      const above: readonly About[] = isNamed ? [] : [...batches, "file"];
      if ([payoutId, ...above].some((each) => opposed.has(each))) {
        return unknown("contradicting-levels");
      }
    }
    if (verdict.verdict === "settled") this.#sent.learn(payoutId, { state: "debited" });
    if (verdict.verdict === "rejected") this.#sent.learn(payoutId, { state: "rejected" });
    return [{ ...verdict, source }];
  }

  #unrejected(
    { payoutId, state }: SentPayment,
    status: string,
    bankReference: string | undefined,
  ): Judged {
    const unknown = (why: UnknownOutcome) =>
      ({ verdict: "unknown_outcome", payoutId, why }) as const;
    if (status === "CANC") return unknown("cancelled");
    if (status === "BLCK") return unknown("blocked");
    if (status === "PART") return unknown("contradicting-levels");
    if (!settled.has(status) && !onItsWay.has(status)) {
      const isOpen = state === "sent" && waitingForUs.has(status);
      return { verdict: "information", payoutId, ...(isOpen && { waitsForUs: true }) };
    }
    if (state === "debited" || state === "returned") return { verdict: "known", payoutId };
    if (state === "rejected") {
      // An earlier "in progress" report may arrive after the rejection and is ignored. A settlement
      // after a rejection is a contradiction.
      return settled.has(status)
        ? unknown("settled-after-rejection")
        : { verdict: "known", payoutId };
    }
    const learned = bankReference === undefined ? {} : { bankReference };
    return settled.has(status) && this.#profile.statusSettles
      ? { verdict: "settled", payoutId, ...learned }
      : { verdict: "accepted", payoutId, ...learned };
  }

  #rejected({ payoutId, state, unknownOutcome }: SentPayment, reasons: readonly Reason[]): Judged {
    const unknown = (why: UnknownOutcome) =>
      ({ verdict: "unknown_outcome", payoutId, why }) as const;
    if (state === "debited") return unknown("rejected-after-debit");
    if (state !== "sent") return { verdict: "known", payoutId };
    if (unknownOutcome !== undefined && mayBePaid(unknownOutcome)) return unknown(unknownOutcome);
    const proven = provenBy(reasons, this.#profile.notExecutedCodes);
    if (proven !== "not-executed") return unknown(proven);
    return { verdict: "rejected", payoutId, reason: present<Reason>(reasons[0] ?? {}) };
  }
}

/** A verdict before its source, the place in the file, is added. */
type Judged = Verdict extends infer Each
  ? Each extends Verdict
    ? Omit<Each, "source">
    : never
  : never;

function hasContent({ status, unknownStatus, reasons }: ReportedStatus): boolean {
  return (status ?? unknownStatus) !== undefined || reasons.length > 0;
}

function referenceOf({ endToEndId, instructionId, uetr, bankReference }: PaymentStatus): string {
  return endToEndId ?? instructionId ?? uetr ?? bankReference ?? "";
}

function reasonCode(reasons: readonly Reason[]): string | undefined {
  const [first] = reasons.flatMap(({ code, proprietary }) => code ?? proprietary ?? []);
  return first;
}
