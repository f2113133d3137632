import { createHash } from "node:crypto";
import { sumOf } from "./amounts.ts";
import { type BankOptions, bankDefaults } from "./bank-options.ts";
import { Book, type Booking, isOf } from "./book.ts";
import type { AchPart, Block, CustomerFile, Instructed } from "./instructions.ts";
import type { Outcome, OutcomeOf } from "./outcomes.ts";
import { readAchFile } from "./reading/ach.ts";
import { readInitiation } from "./reading/initiation.ts";
import { type AchAnswer, achAnswers } from "./writing/ach-answers.ts";
import {
  fileRejection,
  notification,
  type PaymentStatus,
  statement,
  statusReport,
} from "./writing/reports.ts";

export type Answer = {
  readonly kind: "status-report" | "notification" | "statement" | "returns";
  readonly name: string;
  readonly bytes: Uint8Array;
  /**
   * The stage in which the answer is sent. 0: immediate status, 1: bookings, 2: returns. Stages
   * follow one another in this order.
   */
  readonly stage: 0 | 1 | 2;
};

export type Receipt = {
  readonly id: string;
  readonly taken: "paid" | "duplicate" | "refused";
  readonly faults: readonly string[];
  readonly payments: number;
};

/** Reason codes of ISO 20022 and NACHA. */
const reasons = { closed: "AC04", duplicate: "AM05", duplicateFile: "DU01", broken: "FF01" };
const achCodes = { return: "R02", contested: "R74", change: "C01" };

/** Outcomes that debit the account at once. */
const debited: ReadonlySet<Outcome> = new Set([
  ...(["settled", "returned", "returned-short", "contested", "changed"] as const),
]);

/** Accepts customers' files, keeps a book and reports the outcome of each payment. */
export class Bank {
  readonly book: Book;
  readonly receipts: Receipt[] = [];
  readonly #options: BankOptions;
  readonly #had = new Set<string>();
  readonly #waiting: Instructed[] = [];
  #messages = 0;
  #achFiles = 0;

  constructor(options: Partial<BankOptions> = {}) {
    this.#options = { ...bankDefaults, ...options };
    this.book = new Book(this.#options);
  }

  receive(bytes: Uint8Array): Answer[] {
    const file = this.#read(bytes);
    if (file === undefined) return [];
    const hash = createHash("sha256").update(bytes).digest("hex");
    const hasHad = this.#had.has(file.id) || this.#had.has(hash);
    this.#had.add(file.id).add(hash);
    const payments = file.blocks.reduce((count, block) => count + block.payments.length, 0);
    const note = (taken: Receipt["taken"]) =>
      this.receipts.push({ id: file.id, taken, faults: file.faults, payments });
    if (file.faults.length > 0) {
      note("refused");
      return this.#refusal(file, reasons.broken);
    }
    const { duplicates } = this.#options;
    if (hasHad && duplicates !== "pay") {
      note("duplicate");
      return duplicates === "refuse" ? this.#refusal(file, reasons.duplicateFile) : [];
    }
    note("paid");
    return this.#pay(file);
  }

  release(endToEndId: string): Answer[] {
    const at = this.#waiting.findIndex((payment) => isOf(payment, endToEndId));
    const [found] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (found === undefined) throw new Error(`no waiting payment has the id ${endToEndId}`);
    return this.#notify([this.#debit([found])], 1);
  }

  /** Returns a debited payment less `charge`. A return is possible at any time after the debit. */
  giveBack(endToEndId: string, charge = 0n): Answer[] {
    const payment = this.book.payments().find((each) => isOf(each, endToEndId));
    if (payment === undefined) throw new Error(`no debited payment has the id ${endToEndId}`);
    return this.#bringBack([{ payment, charge }]);
  }

  /**
   * Closes the day of every account. Returns one statement for each account, named after the day.
   */
  closeDay(on = this.#today()): Answer[] {
    return this.book.close(on).map((day) => {
      const report = this.#report();
      return this.#answer("statement", statement(day, report), report.messageId, 2);
    });
  }

  #read(bytes: Uint8Array): CustomerFile | undefined {
    try {
      const isAch = bytes[0] === "1".charCodeAt(0);
      return isAch ? readAchFile(bytes, this.#options.achAccount) : readInitiation(bytes);
    } catch (error) {
      // The bank doesn't answer an invalid file, because the sender would not recognize the answer.
      const fault = error instanceof Error ? error.message : String(error);
      this.receipts.push({ id: "", taken: "refused", faults: [fault], payments: 0 });
      return undefined;
    }
  }

  #refusal(file: CustomerFile, reason: string): Answer[] {
    if (file.format === "nacha") return [];
    const report = this.#report();
    return [
      this.#answer("status-report", fileRejection(file, reason, report), report.messageId, 0),
    ];
  }

  #pay(file: CustomerFile): Answer[] {
    const outcomes = new Map<Instructed, Outcome>();
    for (const { payments } of file.blocks) {
      for (const payment of payments) outcomes.set(payment, this.#options.outcomeOf(payment));
    }
    const outcomeOf = (payment: Instructed): Outcome => outcomes.get(payment) ?? "settled";
    for (const [payment, outcome] of outcomes) {
      if (outcome === "waiting") this.#waiting.push(payment);
    }
    const answers = file.format === "nacha" ? [] : [this.#status(file, outcomeOf)];
    for (const block of file.blocks) answers.push(...this.#bookBlock(block, outcomeOf));
    return [...answers, ...this.#comesBack(file, outcomes)];
  }

  #status(file: CustomerFile, outcomeOf: OutcomeOf): Answer {
    const report = this.#report();
    const status = (payment: Instructed): PaymentStatus => {
      const outcome = outcomeOf(payment);
      if (outcome === "rejected") return { status: "RJCT", reason: reasons.closed };
      if (outcome === "duplicate") return { status: "RJCT", reason: reasons.duplicate };
      return { status: outcome === "waiting" ? "PDNG" : this.#options.accepted };
    };
    return this.#answer("status-report", statusReport(file, status, report), report.messageId, 0);
  }

  #bookBlock(block: Block, outcomeOf: OutcomeOf): Answer[] {
    // An ACH bank can't reject an entry before settlement. It debits the entry and returns it
    // later.
    const isAch = block.payments.some(({ ach }) => ach !== undefined);
    const paid = block.payments.filter((payment) => {
      const outcome = outcomeOf(payment);
      return debited.has(outcome) || (isAch && outcome === "rejected");
    });
    this.book.open(block.account, block.currency);
    if (paid.length === 0) return [];
    const bookings =
      isAch || (this.#options.inOneSum ?? block.inOneSum)
        ? [this.#debit(paid, block.id)]
        : paid.map((payment) => this.#debit([payment]));
    // An ACH batch is reported in the day's statement.
    return isAch ? [] : this.#notify(bookings, 1);
  }

  #comesBack(file: CustomerFile, outcomes: ReadonlyMap<Instructed, Outcome>): Answer[] {
    const isAch = file.format === "nacha";
    const backs = new Set<Outcome>([
      "returned",
      "returned-short",
      ...(isAch ? ["rejected" as const] : []),
    ]);
    const returned = [...outcomes]
      .filter(([, outcome]) => backs.has(outcome))
      .map(([payment, outcome]) => {
        const isShort = outcome === "returned-short" && !isAch;
        return { payment, charge: isShort ? this.#options.returnCharge : 0n };
      });
    const answers = returned.length === 0 ? [] : this.#bringBack(returned);
    const contested = [...outcomes]
      .filter(([, outcome]) => outcome === "contested")
      .map(([each]) => each);
    if (isAch) {
      const changed = [...outcomes]
        .filter(([, outcome]) => outcome === "changed")
        .map(([each]) => each);
      return [...answers, ...this.#achWords(contested, changed)];
    }
    if (contested.length === 0) return answers;
    // Reports a debited payment as rejected.
    const report = this.#report();
    const of = { ...file, blocks: file.blocks.map((block) => only(block, contested)) };
    const rejected = statusReport(of, () => ({ status: "RJCT", reason: reasons.closed }), report);
    return [...answers, this.#answer("status-report", rejected, report.messageId, 2)];
  }

  #achWords(contested: readonly Instructed[], changed: readonly Instructed[]): Answer[] {
    const words = [
      ...withAch(contested).map((payment): AchAnswer => {
        return { payment, kind: "contested", code: achCodes.contested };
      }),
      ...withAch(changed).map((payment): AchAnswer => {
        const corrected = [...payment.creditorAccount].reverse().join("");
        return { payment, kind: "change", code: achCodes.change, corrected };
      }),
    ];
    return words.length === 0 ? [] : [this.#achFile(words)];
  }

  #bringBack(all: readonly { payment: Instructed; charge: bigint }[]): Answer[] {
    const bookings = all.map(({ payment, charge }) => {
      const { debited: account, currency, minor, ach } = payment;
      return this.book.add({
        account,
        currency,
        direction: "credit",
        minor: minor - charge,
        charge: 0n,
        bookedOn: this.#today(),
        payments: [payment],
        reason: ach === undefined ? reasons.closed : achCodes.return,
      });
    });
    const entries = withAch(all.map(({ payment }) => payment));
    if (entries.length === 0) return this.#notify(bookings, 2);
    const code = achCodes.return;
    return [this.#achFile(entries.map((payment) => ({ payment, kind: "return", code })))];
  }

  #debit(payments: readonly Instructed[], blockId?: string): Booking {
    const [first] = payments;
    if (first === undefined) throw new Error("a debit needs at least one payment");
    const charge = blockId === undefined ? this.#options.debitCharge : 0n;
    return this.book.add({
      account: first.debited,
      currency: first.currency,
      direction: "debit",
      minor: sumOf(payments) + charge,
      charge,
      bookedOn: this.#today(),
      payments,
      ...(blockId === undefined ? {} : { blockId }),
    });
  }

  #notify(bookings: readonly Booking[], stage: 1 | 2): Answer[] {
    const byAccount = Map.groupBy(bookings, ({ account, currency }) => `${account.id} ${currency}`);
    return [...byAccount.values()].flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const report = this.#report();
      const bytes = notification([first, ...others], report);
      return [this.#answer("notification", bytes, report.messageId, stage)];
    });
  }

  #achFile(answers: readonly AchAnswer[]): Answer {
    const bytes = achAnswers(answers, this.#options.now(), this.#achFiles);
    this.#achFiles += 1;
    const name = `returns-${this.#options.name}${String(this.#achFiles).padStart(6, "0")}.ach`;
    return { kind: "returns", name, bytes, stage: 2 };
  }

  #answer(kind: Answer["kind"], bytes: Uint8Array, messageId: string, stage: 0 | 1 | 2): Answer {
    return { kind, name: `${kind}-${messageId}.xml`, bytes, stage };
  }

  #report() {
    this.#messages += 1;
    return {
      messageId: `${this.#options.name}${String(this.#messages).padStart(6, "0")}`,
      at: this.#options.now(),
    };
  }

  #today(): string {
    return this.#options.now().toISOString().slice(0, 10);
  }
}

function only(block: Block, payments: readonly Instructed[]): Block {
  return { ...block, payments: block.payments.filter((each) => payments.includes(each)) };
}

function withAch(payments: readonly Instructed[]): (Instructed & { readonly ach: AchPart })[] {
  return payments.flatMap((payment) => {
    const { ach } = payment;
    return ach === undefined ? [] : [{ ...payment, ach }];
  });
}
