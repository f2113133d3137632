import { ownText } from "../text/own-text.ts";

/** Columns of every record (NACHA Operating Rules, appendix three). */
export const columns = 94;

/** The number of records in a block. A file is padded to whole blocks with records of nines. */
export const blockRecords = 10;

/** A field's first and last column, from 1, and its characters: `9` for digits, `X` for text. */
type Field = readonly [first: number, last: number, filled: "9" | "X"];
type Layout = { readonly [name: string]: Field };
type Values<L extends Layout> = { readonly [Name in keyof L]?: string };

export const fileHeader = {
  recordType: [1, 1, "9"],
  priority: [2, 3, "9"],
  destination: [4, 13, "X"],
  origin: [14, 23, "X"],
  createdOn: [24, 29, "9"],
  createdAt: [30, 33, "9"],
  modifier: [34, 34, "X"],
  recordSize: [35, 37, "9"],
  blockingFactor: [38, 39, "9"],
  format: [40, 40, "9"],
  destinationName: [41, 63, "X"],
  originName: [64, 86, "X"],
  reference: [87, 94, "X"],
} as const satisfies Layout;

/** The header of a batch: originator, class and settlement day. */
export const batchHeader = {
  recordType: [1, 1, "9"],
  serviceClass: [2, 4, "9"],
  companyName: [5, 20, "X"],
  companyData: [21, 40, "X"],
  companyId: [41, 50, "X"],
  entryClass: [51, 53, "X"],
  description: [54, 63, "X"],
  descriptiveDate: [64, 69, "X"],
  effectiveOn: [70, 75, "9"],
  settlementDay: [76, 78, "X"],
  originatorStatus: [79, 79, "9"],
  odfi: [80, 87, "9"],
  number: [88, 94, "9"],
} as const satisfies Layout;

/** An entry of class PPD or CCD. In other classes, `receiver` has a different layout. */
export const entryDetail = {
  recordType: [1, 1, "9"],
  transactionCode: [2, 3, "9"],
  rdfi: [4, 11, "9"],
  checkDigit: [12, 12, "9"],
  account: [13, 29, "X"],
  amount: [30, 39, "9"],
  receiverId: [40, 54, "X"],
  receiver: [55, 76, "X"],
  discretionary: [77, 78, "X"],
  addendaIndicator: [79, 79, "9"],
  trace: [80, 94, "9"],
} as const satisfies Layout;

/** Payment information of an entry: addenda of type 05. */
export const paymentAddenda = {
  recordType: [1, 1, "9"],
  type: [2, 3, "9"],
  information: [4, 83, "X"],
  sequence: [84, 87, "9"],
  entrySequence: [88, 94, "9"],
} as const satisfies Layout;

/**
 * A return, which is an addenda record of type 99. Dishonoured and contested returns have
 * additional parts.
 */
export const returnAddenda = {
  recordType: [1, 1, "9"],
  type: [2, 3, "9"],
  code: [4, 6, "X"],
  originalTrace: [7, 21, "9"],
  /** The date of death. In a contested return, the day on which the entry was returned. */
  date: [22, 27, "X"],
  originalRdfi: [28, 35, "9"],
  information: [36, 79, "X"],
  trace: [80, 94, "9"],
} as const satisfies Layout;

/** The part of a dishonoured return (R61, R62, R67 to R70) that describes the original return. */
export const dishonouredPart = {
  returnTrace: [39, 53, "9"],
  returnSettlementDay: [54, 56, "X"],
  returnCode: [57, 58, "X"],
  information: [59, 79, "X"],
} as const satisfies Layout;

/**
 * The part of a contested return (R71 to R77) that describes the original and the dishonoured
 * return.
 */
export const contestedPart = {
  returnTrace: [39, 53, "9"],
  returnSettlementDay: [54, 56, "X"],
  returnCode: [57, 58, "X"],
  dishonouredTrace: [59, 73, "9"],
  dishonouredSettlementDay: [74, 76, "X"],
  dishonouredCode: [77, 78, "X"],
} as const satisfies Layout;

/** A notification of change: addenda of type 98. */
export const changeAddenda = {
  recordType: [1, 1, "9"],
  type: [2, 3, "9"],
  code: [4, 6, "X"],
  originalTrace: [7, 21, "9"],
  originalRdfi: [28, 35, "9"],
  corrected: [36, 64, "X"],
  trace: [80, 94, "9"],
} as const satisfies Layout;

/** The end of a batch, with its counts and sums. */
export const batchControl = {
  recordType: [1, 1, "9"],
  serviceClass: [2, 4, "9"],
  entries: [5, 10, "9"],
  hash: [11, 20, "9"],
  debits: [21, 32, "9"],
  credits: [33, 44, "9"],
  companyId: [45, 54, "X"],
  odfi: [80, 87, "9"],
  number: [88, 94, "9"],
} as const satisfies Layout;

export const fileControl = {
  recordType: [1, 1, "9"],
  batches: [2, 7, "9"],
  blocks: [8, 13, "9"],
  entries: [14, 21, "9"],
  hash: [22, 31, "9"],
  debits: [32, 43, "9"],
  credits: [44, 55, "9"],
} as const satisfies Layout;

/**
 * Writes a record. Digits are right-aligned and padded with zeros. Text is left-aligned and padded
 * with blanks.
 */
export function record<L extends Layout>(layout: L, values: Values<L>): string {
  const signs = Array.from({ length: columns }, () => " ");
  for (const [name, [first, last, filled]] of Object.entries(layout)) {
    const length = last - first + 1;
    const value = values[name] ?? "";
    const isBlank = value === "" && filled === "X";
    if (value.length > length || (filled === "9" && !/^\d+$/.test(value))) {
      throw new Error(`the value of ${name} is longer than ${length} columns or not numeric`);
    }
    if (isBlank) continue;
    const padded = filled === "9" ? value.padStart(length, "0") : value.padEnd(length);
    signs.splice(first - 1, length, ...padded);
  }
  return signs.join("");
}

/** Reads the values of a record without the blanks around them. */
export function valuesOf<L extends Layout>(
  layout: L,
  line: string,
): { readonly [Name in keyof L]: string } {
  const values = Object.entries(layout).map(([name, [first, last]]) => {
    return [name, ownText(line.slice(first - 1, last).trim())];
  });
  return Object.fromEntries(values);
}

export const entryHashLimit = 10n ** 10n;

/**
 * The entry hash: the sum of the first eight digits of the receiving banks' routing numbers, of
 * which the last ten digits count.
 */
export function entryHash(rdfis: readonly string[]): bigint {
  return entryHashOf(rdfis.reduce((sum, rdfi) => sum + BigInt(rdfi), 0n));
}

/**
 * Reduces the sum to its last ten digits. A large sum therefore never requires another batch or
 * file.
 */
export function entryHashOf(sum: bigint): bigint {
  return sum % entryHashLimit;
}

/**
 * Checks the nine digits of a routing number. Their sum with weights 3, 7, 1 must be a multiple of
 * ten.
 */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const weights = [3, 7, 1];
  const sum = Array.from(text, (digit, at) => Number(digit) * (weights[at % 3] ?? 0));
  return sum.reduce((total, each) => total + each, 0) % 10 === 0;
}
