import type { AccountType } from "./credit.ts";
import {
  changeAddenda,
  contestedPart,
  dishonouredPart,
  isRoutingNumber,
  paymentAddenda,
  returnAddenda,
  valuesOf,
} from "./records.ts";

/** The purpose of an entry's payment. */
export type PaymentInformation = { readonly kind: "information"; readonly text: string };

/** An entry that the receiver's bank returned (R01 to R33 and similar codes). */
export type AchReturn = {
  readonly kind: "return";
  readonly code: string;
  /** The trace number that we assigned to the entry. */
  readonly originalTrace: string;
  readonly originalRdfi: string;
  readonly trace: string;
  /** `yymmdd`, present for R14 and R15 only. */
  readonly dateOfDeath?: string;
  readonly text?: string;
};

/** A return that the originator's bank refuses (R61, R62, R67 to R70). */
export type DishonouredReturn = {
  readonly kind: "dishonoured";
  readonly code: string;
  readonly originalTrace: string;
  readonly originalRdfi: string;
  readonly trace: string;
  readonly returnTrace: string;
  /** The code of the refused return: `R` and two characters. */
  readonly returnCode: string;
  readonly text?: string;
};

/** A dishonoured return that the receiver's bank contests (R71 to R77). */
export type ContestedReturn = {
  readonly kind: "contested";
  readonly code: string;
  readonly originalTrace: string;
  readonly originalRdfi: string;
  readonly trace: string;
  readonly returnTrace: string;
  readonly returnCode: string;
  readonly dishonouredTrace: string;
  readonly dishonouredCode: string;
};

/** A bank's proposed corrections to a payee's data. They are never applied automatically. */
export type ProposedChange = {
  readonly routing?: string;
  readonly account?: string;
  readonly accountType?: AccountType;
  readonly name?: string;
  readonly receiverId?: string;
};

/**
 * A notification of change (C01 and similar codes). The entry was paid, but its data needs
 * correction before the next payment.
 */
export type AchChange = {
  readonly kind: "change";
  readonly code: string;
  readonly originalTrace: string;
  readonly originalRdfi: string;
  readonly trace: string;
  /** The correction as the bank wrote it. */
  readonly corrected: string;
  /**
   * Absent if the code is unknown or the text is malformed. An operator then checks `corrected`.
   */
  readonly proposed?: ProposedChange;
};

export type AchAddenda =
  | PaymentInformation
  | AchReturn
  | DishonouredReturn
  | ContestedReturn
  | AchChange;

const dishonouredCodes = /^R(?:61|62|67|68|69|70)$/;
const contestedCodes = /^R(?:71|72|73|74|75|76|77)$/;
const trace = /^\d{15}$/;

/** Returns `undefined` for an unknown kind of addenda record. */
export function addendaOf(line: string, entryClass: string): AchAddenda | undefined {
  const type = line.slice(1, 3);
  // Returns of international entries have other columns and are not read.
  if (entryClass === "IAT") return undefined;
  if (type === "05" || (type !== "99" && type !== "98" && entryClass === "CTX")) {
    return { kind: "information", text: valuesOf(paymentAddenda, line).information };
  }
  if (type === "98") return changeOf(line);
  return type === "99" ? returnOf(line) : undefined;
}

function returnOf(line: string): AchReturn | DishonouredReturn | ContestedReturn | undefined {
  const values = valuesOf(returnAddenda, line);
  const { code, originalTrace, originalRdfi, information, date } = values;
  if (!/^R\d\d$/.test(code) || !trace.test(originalTrace)) return undefined;
  const base = { code, originalTrace, originalRdfi, trace: values.trace };
  if (contestedCodes.test(code)) {
    const part = valuesOf(contestedPart, line);
    return {
      kind: "contested",
      ...base,
      returnTrace: part.returnTrace,
      returnCode: `R${part.returnCode}`,
      dishonouredTrace: part.dishonouredTrace,
      dishonouredCode: `R${part.dishonouredCode}`,
    };
  }
  if (dishonouredCodes.test(code)) {
    const { returnTrace, returnCode, information: text } = valuesOf(dishonouredPart, line);
    const words = text === "" ? {} : { text };
    return { kind: "dishonoured", ...base, returnTrace, returnCode: `R${returnCode}`, ...words };
  }
  return {
    kind: "return",
    ...base,
    ...(/^\d{6}$/.test(date) && date !== "000000" ? { dateOfDeath: date } : {}),
    ...(information === "" ? {} : { text: information }),
  };
}

function changeOf(line: string): AchChange | undefined {
  const values = valuesOf(changeAddenda, line);
  const { code, originalTrace, originalRdfi, corrected } = values;
  if (!/^C\d\d$/.test(code) || !trace.test(originalTrace)) return undefined;
  // Leading blanks are kept, because the position of each value matters.
  const field = line.slice(changeAddenda.corrected[0] - 1, changeAddenda.corrected[1]);
  const proposed = proposedBy(code, field);
  return {
    kind: "change",
    code,
    originalTrace,
    originalRdfi,
    trace: values.trace,
    corrected,
    ...(proposed === undefined ? {} : { proposed }),
  };
}

/** Finds the parts of corrected data by the code (NACHA Operating Rules, appendix five). */
function proposedBy(code: string, field: string): ProposedChange | undefined {
  const part = (first: number, last: number): string => field.slice(first - 1, last).trim();
  switch (code) {
    case "C01":
      return checked({ account: part(1, 17) }, part(18, 29));
    case "C02":
      return checked({ routing: part(1, 9) }, part(10, 29));
    case "C03":
      return checked({ routing: part(1, 9), account: part(13, 29) }, part(10, 12));
    case "C04":
      return checked({ name: part(1, 22) }, part(23, 29));
    case "C05":
      return checked({ code: part(1, 2) }, part(3, 29));
    case "C06":
      return checked({ account: part(1, 17), code: part(21, 22) }, part(18, 20) + part(23, 29));
    case "C07":
      return checked(
        { routing: part(1, 9), account: part(10, 26), code: part(27, 28) },
        part(29, 29),
      );
    case "C09":
      return checked({ receiverId: part(1, 22) }, part(23, 29));
    default:
      return undefined;
  }
}

type Parts = Omit<ProposedChange, "accountType"> & { readonly code?: string };

/** Returns the corrections only if each is well formed and the field has no other text. */
function checked({ code, ...parts }: Parts, beside: string): ProposedChange | undefined {
  if (beside !== "" || Object.values(parts).includes("")) return undefined;
  if (parts.routing !== undefined && !isRoutingNumber(parts.routing)) return undefined;
  if (code === undefined) return parts;
  const accountType = ({ "2": "checking", "3": "savings" } as const)[code.slice(0, 1)];
  if (accountType === undefined || !/^\d\d$/.test(code)) return undefined;
  return { ...parts, accountType };
}
