import XmlBuilder from "fast-xml-builder";
import { type Money, moneyText } from "../../text/minor-units.ts";

/** The data of a customer's statement, except its entries. */
export type CustomerStatement = {
  /** At most 35 characters. The same limit applies to the other ids in this file. */
  readonly id: string;
  readonly createdAt: Date;
  readonly from: Date;
  /** The end of the period, exclusive. */
  readonly to: Date;
  readonly accountId: string;
  readonly currency: string;
  /** The opening balance, including held money. */
  readonly opening: Money;
  readonly closing: Money;
  /** The opening balance, without held money. */
  readonly openingAvailable: Money;
  readonly closingAvailable: Money;
  readonly credits: EntryTotal;
  readonly debits: EntryTotal;
};

/** The number and the sum of the entries in one direction. */
export type EntryTotal = { readonly count: number; readonly sum: Money };

/** A booked line of the statement. */
export type CustomerEntry = {
  /** The entry's number in the account. */
  readonly number: number;
  readonly amount: Money;
  readonly direction: "credit" | "debit";
  /** True if this entry reverses an earlier one. */
  readonly isReversal: boolean;
  readonly at: Date;
  /** The platform's reference, at most 35 characters. */
  readonly reference: string;
  /** The family and sub-family of a payment (ISO 20022, external bank transaction codes). */
  readonly family: "RCDT" | "ICDT";
  readonly kind: "ESCT" | "DMCT" | "XBCT" | "RRTN" | "OTHR";
  /** The amount includes these fees. */
  readonly fees?: Money | undefined;
  /**
   * The customer's own reference. A reference of more than 35 characters appears only in `text`.
   */
  readonly endToEndId: string;
  /** Free text for the reader, cut at 500 characters. */
  readonly text: string;
};

const builder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: false,
});

/** Maximum lengths in the message. */
const idMax = 35;
const textMax = 500;

const version = "camt.053.001.08";

/**
 * Writes the beginning of a camt.053.001.08 message with one statement. The caller writes the
 * entries next, and finally `statementEnd`.
 */
export function statementBegin(statement: CustomerStatement): string {
  const { id, createdAt, from, to, accountId, currency, credits, debits } = statement;
  const balances = [
    balance("OPBD", statement.opening, from),
    balance("CLBD", statement.closing, to),
    balance("OPAV", statement.openingAvailable, from),
    balance("CLAV", statement.closingAvailable, to),
  ];
  const head = builder.build({ GrpHdr: { MsgId: id, CreDtTm: createdAt.toISOString() } });
  const body = builder.build({
    Id: id,
    CreDtTm: createdAt.toISOString(),
    FrToDt: { FrDtTm: from.toISOString(), ToDtTm: to.toISOString() },
    Acct: { Id: { Othr: { Id: accountId } }, Ccy: currency },
    Bal: balances,
    TxsSummry: {
      TtlNtries: { NbOfNtries: String(credits.count + debits.count) },
      TtlCdtNtries: { NbOfNtries: String(credits.count), Sum: moneyText(credits.sum) },
      TtlDbtNtries: { NbOfNtries: String(debits.count), Sum: moneyText(debits.sum) },
    },
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}"><BkToCstmrStmt>${head}<Stmt>${body}`;
}

export function statementEntry(entry: CustomerEntry): string {
  const { number, amount, direction, isReversal, at, reference, family, kind, fees } = entry;
  const moment = { DtTm: at.toISOString() };
  const [code, sum] = [codes[direction], amountOf(amount)];
  const own = entry.endToEndId;
  return builder.build({
    Ntry: {
      NtryRef: String(number),
      Amt: sum,
      CdtDbtInd: code,
      RvslInd: String(isReversal),
      Sts: { Cd: "BOOK" },
      BookgDt: moment,
      ValDt: moment,
      AcctSvcrRef: reference,
      BkTxCd: { Domn: { Cd: "PMNT", Fmly: { Cd: family, SubFmlyCd: kind } } },
      ...(fees !== undefined && {
        Chrgs: { Rcrd: { Amt: amountOf(fees), CdtDbtInd: code, ChrgInclInd: "true" } },
      }),
      NtryDtls: {
        TxDtls: {
          Refs: { EndToEndId: own === "" || own.length > idMax ? "NOTPROVIDED" : own },
          Amt: sum,
          CdtDbtInd: code,
        },
      },
      ...(entry.text !== "" && { AddtlNtryInf: [...entry.text].slice(0, textMax).join("") }),
    },
  });
}

export const statementEnd = "</Stmt></BkToCstmrStmt></Document>\n";

const codes = { credit: "CRDT", debit: "DBIT" } as const;

function amountOf(money: Money) {
  return { "@Ccy": money.currency, "#text": moneyText(money) };
}

function balance(type: string, money: Money, at: Date) {
  return {
    Tp: { CdOrPrtry: { Cd: type } },
    Amt: amountOf(money),
    CdtDbtInd: "CRDT",
    Dt: { DtTm: at.toISOString() },
  };
}
