import type { Money } from "../../text/minor-units.ts";
import {
  type BatchBooking,
  batchOf,
  type Entry,
  type EntryTransaction,
  entryOf,
  entryShape,
  transactionOf,
} from "./entry.ts";
import {
  dayAt,
  moneyAt,
  Place,
  present,
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
  readOne,
  type Shape,
  textAt,
  type Unreadable,
  type XmlElement,
} from "./xml.ts";

/**
 * A balance of an account. The type is `OPBD`, `CLBD`, `PRCD`, `CLAV`, `ITBD` or the bank's own
 * code.
 */
export type Balance = {
  readonly type: string;
  /** Below zero if the account is overdrawn. */
  readonly amount: Money;
  readonly on?: string;
};

/** One account in a statement (camt.053), a notification (camt.054) or a report (camt.052). */
export type Statement = {
  readonly id?: string;
  readonly account: { readonly iban?: string; readonly number?: string };
  readonly currency?: string;
  readonly createdAt?: string;
  readonly balances: readonly Balance[];
  readonly entries: readonly Entry[];
  /** True if an unreadable entry was left out. */
  readonly hasGaps?: true;
};

/** A message of camt.053, camt.054 or camt.052. Never log it: it contains account numbers. */
export type StatementFile = {
  readonly kind: "statement" | "notification" | "report";
  readonly version?: string;
  readonly messageId?: string;
  readonly createdAt?: string;
  readonly statements: readonly Statement[];
  readonly unread: readonly Unread[];
};

/** The messages by the name of their root element. First versions append `V01` to the name. */
const messages = [
  { kind: "statement", message: "BkToCstmrStmt", account: "Stmt" },
  { kind: "notification", message: "BkToCstmrDbtCdtNtfctn", account: "Ntfctn" },
  { kind: "report", message: "BkToCstmrAcctRpt", account: "Rpt" },
] as const;

const accountShape: Shape = {
  ...leaves("Id", "CreDtTm"),
  Acct: { Id: { IBAN: {}, Othr: leaves("Id") }, Ccy: {} },
  Bal: {
    Tp: { CdOrPrtry: leaves("Cd", "Prtry") },
    ...leaves("Amt", "CdtDbtInd"),
    Dt: leaves("Dt", "DtTm"),
  },
  TxsSummry: { TtlNtries: leaves("NbOfNtries") },
  Ntry: entryShape,
};

/**
 * Returns the reader for a camt.053, camt.054 or camt.052 message, by the name of its root element.
 * The reader leaves out an entry without amount, direction or status, and reports it in `unread`.
 * It also reports contradictions within the message.
 */
export function statementReader(name: string): MessageReader<StatementFile> | undefined {
  const found = messages.find(({ message }) => name.replace(/V\d\d$/, "") === message);
  return found && new StatementReader(found.kind, found.account, name);
}

class StatementReader implements MessageReader<StatementFile> {
  readonly shape: Shape;
  readonly repeated = repeated;
  readonly #kind: StatementFile["kind"];
  readonly #account: string;
  readonly #message: string;
  readonly #unread = new UnreadList();
  readonly #statements: Statement[] = [];
  #entries: Entry[] = [];
  #hasGaps = false;
  #entryNumber = 1;
  #transactions: EntryTransaction[] = [];
  #batches: BatchBooking[] = [];

  constructor(kind: StatementFile["kind"], account: string, message: string) {
    this.#kind = kind;
    this.#account = account;
    this.#message = message;
    this.shape = { GrpHdr: leaves("MsgId", "CreDtTm"), [account]: accountShape };
  }

  take(element: XmlElement, parent: string): boolean {
    switch (element.name) {
      case "TxDtls": {
        const place = this.#entryPlace().at(`TxDtls[${this.#transactions.length + 1}]`);
        this.#transactions.push(transactionOf(element, place));
        return true;
      }
      case "Btch":
        this.#batches.push(batchOf(element, this.#entryPlace().at("Btch")));
        return true;
      case "NtryDtls":
        return true;
      case "Ntry":
        this.#entry(element);
        return true;
      case this.#account:
        if (parent !== this.#message) return false;
        this.#statement(element);
        return true;
      default:
        return false;
    }
  }

  end(root: XmlElement, namespace: string | undefined): StatementFile {
    const place = new Place(root.name, this.#unread);
    place.unreadTexts(root);
    if (this.#statements.length === 0) place.unread(`has no ${this.#account}`);
    return present<StatementFile>({
      kind: this.#kind,
      version: versionOf(namespace, new Place("Document", this.#unread)),
      messageId: textAt(root, "GrpHdr/MsgId"),
      createdAt: textAt(root, "GrpHdr/CreDtTm"),
      statements: this.#statements,
      unread: this.#unread.all(),
    });
  }

  #place(): Place {
    return new Place(`${this.#account}[${this.#statements.length + 1}]`, this.#unread);
  }

  #entryPlace(): Place {
    return this.#place().at(`Ntry[${this.#entryNumber}]`);
  }

  #entry(element: XmlElement): void {
    const details = { batches: this.#batches, transactions: this.#transactions };
    const entry = entryOf(element, this.#entryNumber, details, this.#entryPlace());
    if (entry === undefined) this.#hasGaps = true;
    else this.#entries.push(entry);
    this.#entryNumber += 1;
    this.#transactions = [];
    this.#batches = [];
  }

  #statement(element: XmlElement): void {
    const place = this.#place();
    place.unreadTexts(element);
    checkCount(element, this.#entryNumber - 1, place);
    const statement = statementOf(element, this.#entries, place);
    this.#statements.push(this.#hasGaps ? { ...statement, hasGaps: true } : statement);
    this.#entries = [];
    this.#hasGaps = false;
    this.#entryNumber = 1;
  }
}

/** Reads a file with one statement message (camt.052, camt.053 or camt.054). */
export function readStatements(bytes: Uint8Array): StatementFile | Unreadable {
  return readOne(bytes, statementReader, "is not one statement, notification or report");
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

/** Reports a problem if the bank's count of entries differs from the entries in the file. */
function checkCount(element: XmlElement, number: number, place: Place): void {
  const counted = textAt(element, "TxsSummry/TtlNtries/NbOfNtries");
  if (counted === undefined || counted === String(number)) return;
  place.at("TxsSummry/TtlNtries/NbOfNtries").unread(`is not the ${number} entries that there are`);
}
