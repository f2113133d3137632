import type { Money } from "../../text/minor-units.ts";
import {
  moneyAt,
  Place,
  present,
  type Reason,
  reasonOf,
  reasonShape,
  referenceAt,
  repeated,
  type Unread,
  UnreadList,
  versionOf,
} from "./report.ts";
import {
  elementAt,
  elementsAt,
  leaves,
  type MessageReader,
  type Shape,
  textAt,
  type XmlElement,
} from "./xml.ts";

/** Statuses of ISO 20022's external list that a bank may give a group, a block or a payment. */
const statuses = [
  ...["RCVD", "ACTC", "ACCP", "ACFC", "ACSP", "ACWC", "ACWP", "ACSC", "ACCC"],
  ...["PDNG", "PATC", "PART", "RJCT", "CANC", "BLCK"],
  ...["RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM", "ACFW", "ACIS", "ACPD", "CPUC", "PRES"],
] as const;

/** Standard codes have four characters; a bank's own codes have up to 35. */
const statusLengthMax = 35;

/**
 * A payment's status. `ACSC` and `ACCC` mean settled, and `RJCT` means rejected. All others are not
 * final.
 */
export type PaymentStatusCode = (typeof statuses)[number];

/** The status of a group, a batch or a payment. A level without a status states nothing. */
export type ReportedStatus = {
  readonly status?: PaymentStatusCode;
  /** A status outside of the list, as written. `unread` reports it too. */
  readonly unknownStatus?: string;
  readonly reasons: readonly Reason[];
};

/** A bank's report on one payment. */
export type PaymentStatus = ReportedStatus & {
  readonly endToEndId?: string;
  readonly instructionId?: string;
  readonly uetr?: string;
  /** The bank's own reference, which statements repeat. */
  readonly bankReference?: string;
  /** The instructed amount, if it is in the currency of the transfer. */
  readonly amount?: Money;
};

/** A bank's report on a block of a file and on the block's payments. */
export type BatchStatus = ReportedStatus & {
  readonly paymentInformationId?: string;
  readonly payments: readonly PaymentStatus[];
};

/** A parsed payment status report (pain.002). Never log it: reasons may name persons. */
export type StatusReport = {
  readonly version?: string;
  readonly messageId?: string;
  readonly createdAt?: string;
  /** The payment file that this report is about. */
  readonly original: { readonly messageId?: string };
  readonly group: ReportedStatus;
  readonly batches: readonly BatchStatus[];
  readonly unread: readonly Unread[];
};

const paymentShape: Shape = {
  ...leaves("OrgnlPmtInfId", "OrgnlInstrId", "OrgnlEndToEndId", "OrgnlUETR"),
  ...leaves("TxSts", "AcctSvcrRef"),
  StsRsnInf: reasonShape,
  OrgnlTxRef: { Amt: leaves("InstdAmt") },
};

const reportShape: Shape = {
  GrpHdr: leaves("MsgId", "CreDtTm"),
  OrgnlGrpInfAndSts: {
    ...leaves("OrgnlMsgId", "GrpSts"),
    StsRsnInf: reasonShape,
  },
  OrgnlPmtInfAndSts: {
    ...leaves("OrgnlPmtInfId", "PmtInfSts"),
    StsRsnInf: reasonShape,
    TxInfAndSts: paymentShape,
  },
  // pain.002.001.02 has no batches, so its payments are directly below the root.
  TxInfAndSts: paymentShape,
};

/**
 * Returns the reader for a pain.002 message, by the name of its root element. pain.002.001.02
 * includes the version in that name. `unread` reports statuses that ISO 20022 does not list,
 * invalid amounts and a missing version.
 */
export function statusReader(name: string): MessageReader<StatusReport> | undefined {
  const isReport = name === "CstmrPmtStsRpt" || /^pain\.002\.001\.\d\d$/.test(name);
  return isReport ? new StatusReader() : undefined;
}

class StatusReader implements MessageReader<StatusReport> {
  readonly shape = reportShape;
  readonly repeated = repeated;
  readonly #unread = new UnreadList();
  readonly #place = new Place("CstmrPmtStsRpt", this.#unread);
  readonly #batches: BatchStatus[] = [];
  #payments: PaymentStatus[] = [];

  take(element: XmlElement, parent: string): boolean {
    if (element.name === "TxInfAndSts") {
      if (parent === "OrgnlPmtInfAndSts") this.#payment(element, this.#batchPlace());
      else this.#paymentOfNoBatch(element);
      return true;
    }
    if (element.name !== "OrgnlPmtInfAndSts") return false;
    this.#batches.push(batchOf(element, this.#payments, this.#batchPlace()));
    this.#payments = [];
    return true;
  }

  end(root: XmlElement, namespace: string | undefined): StatusReport {
    this.#place.unreadTexts(root);
    const group = elementAt(root, "OrgnlGrpInfAndSts");
    const place = this.#place.at("OrgnlGrpInfAndSts");
    if (group === undefined) place.unread("is absent");
    const status = group === undefined ? { reasons: [] } : statusOf(group, "GrpSts", place);
    this.#unreadPayments(status);
    return present<StatusReport>({
      version: versionOf(namespace, new Place("Document", this.#unread)),
      messageId: textAt(root, "GrpHdr/MsgId"),
      createdAt: textAt(root, "GrpHdr/CreDtTm"),
      original: group === undefined ? {} : present({ messageId: referenceAt(group, "OrgnlMsgId") }),
      group: status,
      batches: this.#batches,
      unread: this.#unread.all(),
    });
  }

  #batchPlace(): Place {
    return this.#place.at(`OrgnlPmtInfAndSts[${this.#batches.length + 1}]`);
  }

  #payment(element: XmlElement, place: Place): void {
    const at = place.at(`TxInfAndSts[${this.#payments.length + 1}]`);
    this.#payments.push(paymentOf(element, at));
  }

  /**
   * Reports payments that have no status of their own, of their batch or of their file. Otherwise
   * they would be lost unnoticed.
   */
  #unreadPayments(group: ReportedStatus): void {
    for (const [index, batch] of this.#batches.entries()) {
      const above = hasStatus(batch) ? batch : group;
      // `PART` doesn't say which payments are accepted, so it is no status for a single payment.
      if (hasStatus(above) && above.status !== "PART") continue;
      const place = this.#place.at(`OrgnlPmtInfAndSts[${index + 1}]`);
      for (const [at, payment] of batch.payments.entries()) {
        if (hasStatus(payment)) continue;
        place.at(`TxInfAndSts[${at + 1}]`).unread("has no status, nor has a level above it");
      }
    }
  }

  /**
   * Reads a payment outside of batches that states its own batch id. It counts as a batch of one
   * payment.
   */
  #paymentOfNoBatch(element: XmlElement): void {
    const payment = paymentOf(element, this.#place.at(`TxInfAndSts[${this.#batches.length + 1}]`));
    const paymentInformationId = referenceAt(element, "OrgnlPmtInfId");
    this.#batches.push(
      present<BatchStatus>({ paymentInformationId, reasons: [], payments: [payment] }),
    );
  }
}

function hasStatus({ status, unknownStatus }: ReportedStatus): boolean {
  return (status ?? unknownStatus) !== undefined;
}

function statusOf(element: XmlElement, name: string, place: Place): ReportedStatus {
  const written = textAt(element, name);
  const status = statuses.find((each) => each === written);
  const unknownStatus = status === undefined ? written?.slice(0, statusLengthMax) : undefined;
  if (unknownStatus !== undefined) place.at(name).unread("is not a known status");
  const reasons = elementsAt(element, "StsRsnInf").map((each) => {
    return reasonOf(each, place.at("StsRsnInf"));
  });
  return present<ReportedStatus>({ status, unknownStatus, reasons });
}

function batchOf(batch: XmlElement, payments: readonly PaymentStatus[], place: Place): BatchStatus {
  place.unreadTexts(batch);
  return present<BatchStatus>({
    paymentInformationId: referenceAt(batch, "OrgnlPmtInfId"),
    ...statusOf(batch, "PmtInfSts", place),
    payments,
  });
}

function paymentOf(payment: XmlElement, place: Place): PaymentStatus {
  place.unreadTexts(payment);
  const amount = elementAt(payment, "OrgnlTxRef/Amt/InstdAmt");
  return present<PaymentStatus>({
    endToEndId: referenceAt(payment, "OrgnlEndToEndId"),
    instructionId: referenceAt(payment, "OrgnlInstrId"),
    uetr: referenceAt(payment, "OrgnlUETR"),
    bankReference: referenceAt(payment, "AcctSvcrRef"),
    amount: moneyAt(amount, place.at("OrgnlTxRef/Amt/InstdAmt")),
    ...statusOf(payment, "TxSts", place),
  });
}
