import type { Money } from "../../text/minor-units.ts";
import {
  dayAt,
  flagAt,
  moneyAt,
  type Place,
  present,
  type Reason,
  reasonOf,
  reasonShape,
  referenceAt,
} from "./report.ts";
import { elementAt, elementsAt, leaves, type Shape, textAt, type XmlElement } from "./xml.ts";

/** A credit adds money to the account. A debit takes money from it. */
export type Direction = "credit" | "debit";

/** The status of an entry. Only a booked entry moves money. All others are announcements. */
export type EntryStatus = "booked" | "pending" | "information" | "future";

export type Charge = {
  readonly amount: Money;
  readonly direction?: Direction;
};

/**
 * The bank's code for the kind of an entry. It is ISO 20022's domain, family and sub-family, or the
 * bank's own code.
 */
export type TransactionCode = {
  readonly domain?: string;
  readonly family?: string;
  readonly subFamily?: string;
  readonly proprietary?: string;
};

/** Payments that the bank booked as one sum. */
export type BatchBooking = {
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  readonly payments?: number;
  readonly total?: Money;
};

/** One payment of an entry. `amount` is absent if the bank reports none for the payment. */
export type EntryTransaction = {
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  readonly instructionId?: string;
  readonly endToEndId?: string;
  readonly uetr?: string;
  readonly bankReference?: string;
  readonly amount?: Money;
  readonly instructed?: Money;
  readonly direction?: Direction;
  readonly charges: readonly Charge[];
  /** The payment's own code, if it differs from the entry's. */
  readonly code?: TransactionCode;
  /** A purpose code of ISO 20022 or the bank's own. */
  readonly purpose?: string;
  /** Present if the bank gives return information, even if only in words. */
  readonly returned?: Reason;
};

/** A booked or announced movement. The amount is in the account's currency. */
export type Entry = {
  /** Counts from 1 in the statement. */
  readonly number: number;
  readonly reference?: string;
  readonly bankReference?: string;
  readonly amount: Money;
  /** The instructed amount, if the entry itself gives one. */
  readonly instructed?: Money;
  readonly direction: Direction;
  /** True if this entry reverses an earlier booking. */
  readonly isReversal: boolean;
  readonly status: EntryStatus;
  readonly bookedOn?: string;
  readonly code: TransactionCode;
  readonly charges: readonly Charge[];
  readonly batches: readonly BatchBooking[];
  readonly transactions: readonly EntryTransaction[];
};

const directions: Readonly<Record<string, Direction>> = { CRDT: "credit", DBIT: "debit" };

const entryStatuses: Readonly<Record<string, EntryStatus>> = {
  BOOK: "booked",
  PDNG: "pending",
  INFO: "information",
  FUTR: "future",
};

const amountShape: Shape = {
  InstdAmt: leaves("Amt"),
  TxAmt: leaves("Amt"),
};

const chargesShape: Shape = {
  ...leaves("Amt", "TtlChrgsAndTaxAmt", "CdtDbtInd"),
  Rcrd: leaves("Amt", "CdtDbtInd"),
};

const codeShape: Shape = {
  Domn: { Cd: {}, Fmly: leaves("Cd", "SubFmlyCd") },
  Prtry: leaves("Cd"),
};

const transactionShape: Shape = {
  Refs: leaves("MsgId", "PmtInfId", "InstrId", "EndToEndId", "UETR", "AcctSvcrRef"),
  Amt: {},
  CdtDbtInd: {},
  AmtDtls: amountShape,
  Chrgs: chargesShape,
  BkTxCd: codeShape,
  Purp: leaves("Cd", "Prtry"),
  RtrInf: reasonShape,
};

/** The elements of an entry that the reader keeps. */
export const entryShape: Shape = {
  ...leaves("NtryRef", "AcctSvcrRef", "Amt", "CdtDbtInd", "RvslInd"),
  Sts: leaves("Cd"),
  BookgDt: leaves("Dt", "DtTm"),
  AmtDtls: amountShape,
  Chrgs: chargesShape,
  BkTxCd: codeShape,
  NtryDtls: {
    Btch: leaves("MsgId", "PmtInfId", "NbOfTxs", "TtlAmt"),
    TxDtls: transactionShape,
  },
};

/** The details of an entry, read before the entry ends. */
export type EntryDetails = Pick<Entry, "batches" | "transactions">;

/**
 * Reads an entry. If its amount, direction or status is unreadable, reports the problem and returns
 * `undefined`.
 */
export function entryOf(
  element: XmlElement,
  number: number,
  { batches, transactions }: EntryDetails,
  place: Place,
): Entry | undefined {
  place.unreadTexts(element);
  const amount = moneyAt(elementAt(element, "Amt"), place.at("Amt"));
  const direction = directionAt(element, place);
  const status = entryStatuses[textAt(element, "Sts/Cd") ?? textAt(element, "Sts") ?? ""];
  if (status === undefined) place.at("Sts").unread("is not a known status");
  const isReversal = flagAt(element, "RvslInd", place);
  if (
    amount === undefined ||
    direction === undefined ||
    status === undefined ||
    isReversal === undefined
  ) {
    return place.unread("is left out: amount, direction, status or reversal cannot be read");
  }
  const entry = present<Entry>({
    number,
    reference: referenceAt(element, "NtryRef"),
    bankReference: referenceAt(element, "AcctSvcrRef"),
    amount,
    instructed: moneyAt(elementAt(element, "AmtDtls/InstdAmt/Amt"), place.at("InstdAmt")),
    direction,
    isReversal,
    status,
    bookedOn: dayAt(elementAt(element, "BookgDt"), place.at("BookgDt")),
    code: codeOf(element),
    charges: chargesOf(element, place),
    batches,
    transactions,
  });
  checkSum(entry, place);
  return entry;
}

/** Reports a problem if an entry's payments and charges don't add up to its amount. */
function checkSum(entry: Entry, place: Place): void {
  const { amount, transactions, direction } = entry;
  const amounts = transactions.flatMap((each) => (each.amount === undefined ? [] : [each.amount]));
  if (amounts.length === 0 || amounts.length < transactions.length) return;
  const isSame = amounts.every(({ currency }) => currency === amount.currency);
  const sum = amounts.reduce((total, { minor }) => total + minor, 0n);
  const charges = [entry, ...transactions]
    .flatMap((each) => each.charges)
    .filter((each) => each.amount.currency === amount.currency && each.direction !== "credit")
    .reduce((total, each) => total + each.amount.minor, 0n);
  const charged = direction === "debit" ? sum + charges : sum - charges;
  if (isSame && (sum === amount.minor || charged === amount.minor)) return;
  place.unread("its payments do not sum up to its amount");
}

export function transactionOf(element: XmlElement, place: Place): EntryTransaction {
  place.unreadTexts(element);
  const amount = elementAt(element, "Amt") ?? elementAt(element, "AmtDtls/TxAmt/Amt");
  const returned = elementAt(element, "RtrInf");
  const reference = (name: string) => referenceAt(element, `Refs/${name}`);
  return present<EntryTransaction>({
    messageId: reference("MsgId"),
    paymentInformationId: reference("PmtInfId"),
    instructionId: reference("InstrId"),
    endToEndId: reference("EndToEndId"),
    uetr: reference("UETR"),
    bankReference: reference("AcctSvcrRef"),
    amount: moneyAt(amount, place.at("Amt")),
    instructed: moneyAt(elementAt(element, "AmtDtls/InstdAmt/Amt"), place.at("InstdAmt")),
    direction: elementAt(element, "CdtDbtInd") && directionAt(element, place),
    charges: chargesOf(element, place),
    code: elementAt(element, "BkTxCd") && codeOf(element),
    purpose: textAt(element, "Purp/Cd") ?? textAt(element, "Purp/Prtry"),
    returned: returned && reasonOf(returned, place),
  });
}

function directionAt(element: XmlElement, place: Place): Direction | undefined {
  const direction = directions[textAt(element, "CdtDbtInd") ?? ""];
  return direction ?? place.at("CdtDbtInd").unread("is neither CRDT nor DBIT");
}

/**
 * Older versions put the charge's amount directly in `Chrgs`. Newer versions have records below
 * `Chrgs`.
 */
function chargesOf(element: XmlElement, place: Place): Charge[] {
  const charges = elementsAt(element, "Chrgs").flatMap((each) => {
    const records = elementsAt(each, "Rcrd");
    return records.length === 0 ? [each] : records;
  });
  return charges.flatMap((each) => {
    const amount = moneyAt(
      elementAt(each, "Amt") ?? elementAt(each, "TtlChrgsAndTaxAmt"),
      place.at("Chrgs"),
    );
    if (amount === undefined) return [];
    return present<Charge>({
      amount,
      direction: elementAt(each, "CdtDbtInd") && directionAt(each, place.at("Chrgs")),
    });
  });
}

function codeOf(element: XmlElement): TransactionCode {
  return present<TransactionCode>({
    domain: textAt(element, "BkTxCd/Domn/Cd"),
    family: textAt(element, "BkTxCd/Domn/Fmly/Cd"),
    subFamily: textAt(element, "BkTxCd/Domn/Fmly/SubFmlyCd"),
    proprietary: textAt(element, "BkTxCd/Prtry/Cd"),
  });
}

export function batchOf(element: XmlElement, place: Place): BatchBooking {
  place.unreadTexts(element);
  const count = textAt(element, "NbOfTxs");
  const isCount = count !== undefined && /^\d{1,15}$/.test(count);
  if (count !== undefined && !isCount) place.at("NbOfTxs").unread("is not a number");
  return present<BatchBooking>({
    messageId: referenceAt(element, "MsgId"),
    paymentInformationId: referenceAt(element, "PmtInfId"),
    payments: isCount ? Number(count) : undefined,
    total: moneyAt(elementAt(element, "TtlAmt"), place.at("TtlAmt")),
  });
}
