import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Money } from "../../text/minor-units.ts";
import {
  moneyAt,
  Place,
  present,
  type Reason,
  reasonOf,
  referenceAt,
  type Unread,
  versionOf,
} from "./report.ts";
import { elementAt, elementsAt, readXml, textAt, type Unreadable, type XmlElement } from "./xml.ts";

/** Statuses of ISO 20022's external list that a bank may give a group, a block or a payment. */
const statuses = [
  ...["RCVD", "ACTC", "ACCP", "ACFC", "ACSP", "ACWC", "ACWP", "ACSC", "ACCC"],
  ...["PDNG", "PATC", "PART", "RJCT", "CANC", "BLCK"],
  ...["RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM", "ACFW", "ACIS", "ACPD", "CPUC", "PRES"],
] as const;

/** Codes have four characters; banks' own ones up to 35. */
const statusLengthMax = 35;

/** `ACSC` and `ACCC` settle, `RJCT` rejects; the others do not end a payment. */
export type PaymentStatusCode = (typeof statuses)[number];

/** The status of a group, a batch or a payment. A level without a status says nothing. */
export type ReportedStatus = {
  readonly status?: PaymentStatusCode;
  /** A status outside of the list, as written. `unread` names it too. */
  readonly unknownStatus?: string;
  readonly reasons: readonly Reason[];
};

/** What a bank says of one payment. */
export type PaymentStatus = ReportedStatus & {
  readonly endToEndId?: string;
  readonly instructionId?: string;
  readonly uetr?: string;
  /** The bank's own reference; statements name it too. */
  readonly bankReference?: string;
  readonly clearingReference?: string;
  /** The instructed amount, in the currency of the transfer. */
  readonly amount?: Money;
  /** The instructed amount where it is given in another currency than the transfer's (`EqvtAmt`). */
  readonly equivalent?: Money;
};

/** What a bank says of a block of a file, and of payments in it. */
export type BatchStatus = ReportedStatus & {
  readonly paymentInformationId?: string;
  readonly payments: readonly PaymentStatus[];
};

/** A payment status report (pain.002), read. Never logged: reasons may name persons. */
export type StatusReport = {
  readonly version?: string;
  readonly messageId?: string;
  readonly createdAt?: string;
  /** The file that it answers. */
  readonly original: {
    readonly messageId?: string;
    readonly messageName?: string;
    readonly payments?: number;
    readonly controlSum?: string;
  };
  readonly group: ReportedStatus;
  readonly batches: readonly BatchStatus[];
  readonly unread: readonly Unread[];
};

/**
 * Reads a payment status report of any version, taking what it proves: statuses that ISO 20022
 * does not list, amounts that are none, and a missing version are named in `unread`.
 */
export function readStatusReport(bytes: Uint8Array): StatusReport | Unreadable {
  const root = readXml(bytes, () => false);
  if (isRefused(root)) return root;
  const report = root.name === "Document" ? elementAt(root, "CstmrPmtStsRpt") : undefined;
  if (report === undefined) return refused("UNREADABLE", "is no payment status report");
  const unread: Unread[] = [];
  const place = new Place("CstmrPmtStsRpt", unread);
  const group = elementAt(report, "OrgnlGrpInfAndSts");
  if (group === undefined) place.at("OrgnlGrpInfAndSts").unread("is absent");
  return present<StatusReport>({
    version: versionOf(root, new Place("Document", unread)),
    messageId: textAt(report, "GrpHdr/MsgId"),
    createdAt: textAt(report, "GrpHdr/CreDtTm"),
    original: group === undefined ? {} : originalOf(group, place.at("OrgnlGrpInfAndSts")),
    group:
      group === undefined
        ? { reasons: [] }
        : statusOf(group, "GrpSts", place.at("OrgnlGrpInfAndSts")),
    batches: elementsAt(report, "OrgnlPmtInfAndSts").map((batch, index) => {
      return batchOf(batch, place.at(`OrgnlPmtInfAndSts[${index + 1}]`));
    }),
    unread,
  });
}

function originalOf(group: XmlElement, place: Place): StatusReport["original"] {
  const count = textAt(group, "OrgnlNbOfTxs");
  const isCount = count === undefined || /^\d{1,15}$/.test(count);
  if (!isCount) place.at("OrgnlNbOfTxs").unread("is not a number");
  return present<StatusReport["original"]>({
    messageId: referenceAt(group, "OrgnlMsgId"),
    messageName: textAt(group, "OrgnlMsgNmId"),
    payments: isCount && count !== undefined ? Number(count) : undefined,
    controlSum: textAt(group, "OrgnlCtrlSum"),
  });
}

function statusOf(element: XmlElement, name: string, place: Place): ReportedStatus {
  const written = textAt(element, name);
  const status = statuses.find((each) => each === written);
  const unknownStatus = status === undefined ? written?.slice(0, statusLengthMax) : undefined;
  if (unknownStatus !== undefined) place.at(name).unread("is not a known status");
  const reasons = elementsAt(element, "StsRsnInf").map(reasonOf);
  return present<ReportedStatus>({ status, unknownStatus, reasons });
}

function batchOf(batch: XmlElement, place: Place): BatchStatus {
  return present<BatchStatus>({
    paymentInformationId: referenceAt(batch, "OrgnlPmtInfId"),
    ...statusOf(batch, "PmtInfSts", place),
    payments: elementsAt(batch, "TxInfAndSts").map((payment, index) => {
      return paymentOf(payment, place.at(`TxInfAndSts[${index + 1}]`));
    }),
  });
}

function paymentOf(payment: XmlElement, place: Place): PaymentStatus {
  const amount = elementAt(payment, "OrgnlTxRef/Amt/InstdAmt");
  const equivalent = elementAt(payment, "OrgnlTxRef/Amt/EqvtAmt/Amt");
  return present<PaymentStatus>({
    endToEndId: referenceAt(payment, "OrgnlEndToEndId"),
    instructionId: referenceAt(payment, "OrgnlInstrId"),
    uetr: referenceAt(payment, "OrgnlUETR"),
    bankReference: referenceAt(payment, "AcctSvcrRef"),
    clearingReference: referenceAt(payment, "ClrSysRef"),
    amount: moneyAt(amount, place.at("OrgnlTxRef/Amt/InstdAmt")),
    equivalent: moneyAt(equivalent, place.at("OrgnlTxRef/Amt/EqvtAmt")),
    ...statusOf(payment, "TxSts", place),
  });
}
