import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Money } from "../../text/minor-units.ts";
import { type Entry, entryOf } from "./entry.ts";
import { dayAt, moneyAt, Place, present, referenceAt, type Unread, versionOf } from "./report.ts";
import { elementAt, elementsAt, readXml, textAt, type Unreadable, type XmlElement } from "./xml.ts";

/** A balance by its type: `OPBD`, `CLBD`, `PRCD`, `CLAV`, `ITBD` or the bank's own. */
export type Balance = {
  readonly type: string;
  /** Below zero where the account is overdrawn. */
  readonly amount: Money;
  readonly on?: string;
};

/** One account in a statement (camt.053), a notification (camt.054) or a report (camt.052). */
export type Statement = {
  readonly id?: string;
  readonly account: { readonly iban?: string; readonly number?: string };
  readonly currency?: string;
  /** The bank's numbering of its statements: a gap is a statement that did not come. */
  readonly sequence?: string;
  readonly createdAt?: string;
  readonly balances: readonly Balance[];
  readonly entries: readonly Entry[];
};

/** A message of camt.053, camt.054 or camt.052. Never logged: it has account numbers. */
export type StatementFile = {
  readonly kind: "statement" | "notification" | "report";
  readonly version?: string;
  readonly messageId?: string;
  readonly createdAt?: string;
  /** Of a message in several files; `isLast` of one that says so. */
  readonly page?: { readonly number: number; readonly isLast: boolean };
  readonly statements: readonly Statement[];
  readonly unread: readonly Unread[];
};

const messages = [
  { kind: "statement", message: "BkToCstmrStmt", account: "Stmt" },
  { kind: "notification", message: "BkToCstmrDbtCdtNtfctn", account: "Ntfctn" },
  { kind: "report", message: "BkToCstmrAcctRpt", account: "Rpt" },
] as const;

const accountNames: ReadonlySet<string> = new Set(messages.map(({ account }) => account));

/**
 * Reads statements (camt.053), notifications (camt.054) and reports (camt.052) of any version, entry by entry, taking
 * what they prove. An entry without amount, direction or status is left out and named in `unread`,
 * as is what a bank says twice and differently.
 */
export function readStatements(bytes: Uint8Array): StatementFile | Unreadable {
  const unread: Unread[] = [];
  const statements: Statement[] = [];
  let entries: Entry[] = [];
  let number = 0;
  const root = readXml(bytes, (element, parent) => {
    const at = `${parent}[${statements.length + 1}]`;
    if (element.name === "Ntry" && accountNames.has(parent)) {
      number += 1;
      const entry = entryOf(element, number, new Place(`${at}/Ntry[${number}]`, unread));
      if (entry !== undefined) entries.push(entry);
      return true;
    }
    if (!accountNames.has(element.name)) return false;
    const place = new Place(`${element.name}[${statements.length + 1}]`, unread);
    checkCount(element, number, place);
    statements.push(statementOf(element, entries, place));
    entries = [];
    number = 0;
    return true;
  });
  if (isRefused(root)) return root;
  const message = messages.find((each) => elementAt(root, each.message) !== undefined);
  const body = message && elementAt(root, message.message);
  if (root.name !== "Document" || message === undefined || body === undefined) {
    return refused("UNREADABLE", "is no statement and no notification");
  }
  return present<StatementFile>({
    kind: message.kind,
    version: versionOf(root, new Place("Document", unread)),
    messageId: textAt(body, "GrpHdr/MsgId"),
    createdAt: textAt(body, "GrpHdr/CreDtTm"),
    page: pageOf(body, new Place("GrpHdr/MsgPgntn", unread)),
    statements,
    unread,
  });
}

function statementOf(element: XmlElement, entries: readonly Entry[], place: Place): Statement {
  const account = present<Statement["account"]>({
    iban: textAt(element, "Acct/Id/IBAN"),
    number: textAt(element, "Acct/Id/Othr/Id"),
  });
  if (account.iban === undefined && account.number === undefined) {
    place.at("Acct/Id").unread("is neither IBAN nor number");
  }
  const currency = textAt(element, "Acct/Ccy");
  for (const { amount, number } of entries) {
    if (currency === undefined || amount.currency === currency) continue;
    place.at(`Ntry[${number}]`).unread("is in another currency than the account");
  }
  return present<Statement>({
    id: referenceAt(element, "Id"),
    account,
    currency,
    sequence: textAt(element, "ElctrncSeqNb") ?? textAt(element, "LglSeqNb"),
    createdAt: textAt(element, "CreDtTm"),
    balances: elementsAt(element, "Bal").flatMap((each, index) => {
      return balanceOf(each, place.at(`Bal[${index + 1}]`)) ?? [];
    }),
    entries,
  });
}

function balanceOf(element: XmlElement, place: Place): Balance | undefined {
  const type = textAt(element, "Tp/CdOrPrtry/Cd") ?? textAt(element, "Tp/CdOrPrtry/Prtry");
  const amount = moneyAt(elementAt(element, "Amt"), place.at("Amt"));
  const sign = { CRDT: 1n, DBIT: -1n }[textAt(element, "CdtDbtInd") ?? ""];
  if (type === undefined || amount === undefined || sign === undefined) {
    return place.unread("is left out: type, amount or direction is missing");
  }
  return present<Balance>({
    type,
    amount: { minor: sign * amount.minor, currency: amount.currency },
    on: dayAt(elementAt(element, "Dt"), place.at("Dt")),
  });
}

/** Says so where the bank counts other entries than there are. */
function checkCount(element: XmlElement, number: number, place: Place): void {
  const counted = textAt(element, "TxsSummry/TtlNtries/NbOfNtries");
  if (counted === undefined || counted === String(number)) return;
  place.at("TxsSummry/TtlNtries/NbOfNtries").unread(`is not the ${number} entries that there are`);
}

function pageOf(body: XmlElement, place: Place): StatementFile["page"] {
  const page = elementAt(body, "GrpHdr/MsgPgntn");
  if (page === undefined) return undefined;
  const number = textAt(page, "PgNb") ?? "";
  if (!/^\d{1,5}$/.test(number)) return place.unread("has no page number");
  return { number: Number(number), isLast: textAt(page, "LastPgInd") === "true" };
}
