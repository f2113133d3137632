import { sumOf } from "./amounts.ts";
import type { CustomerAccount, Instructed } from "./instructions.ts";

/** A line of the bank's book. */
export type Booking = {
  readonly account: CustomerAccount;
  readonly currency: string;
  readonly direction: "debit" | "credit";
  readonly minor: bigint;
  /** What of it the bank took for itself, and names beside. */
  readonly charge: bigint;
  /** The bank's own reference. */
  readonly reference: string;
  readonly bookedOn: string;
  /** What it is for: one payment, or all of a block. */
  readonly payments: readonly Instructed[];
  /** Of a block that was booked in one sum. */
  readonly blockId?: string;
  /** Why the money came back. */
  readonly reason?: string;
};

/** An account's day: what its statement says. */
export type Day = {
  readonly account: CustomerAccount;
  readonly currency: string;
  /** Of the statements of the account, from 1. */
  readonly number: number;
  readonly on: string;
  readonly opening: bigint;
  readonly closing: bigint;
  readonly bookings: readonly Booking[];
};

type Ledger = {
  readonly account: CustomerAccount;
  readonly currency: string;
  readonly opening: bigint;
  readonly bookings: Booking[];
  closed: number;
  days: number;
};

/** What the bank paid and got back: the only book that tests hold the platform against. */
export class Book {
  readonly #ledgers = new Map<string, Ledger>();
  readonly #opening: bigint;
  readonly #name: string;
  #references = 0;

  /** `opening`: what each account begins with, in hundredths; `name` begins its references. */
  constructor({ opening, name }: { readonly opening: bigint; readonly name: string }) {
    this.#opening = opening;
    this.#name = name;
  }

  /** Books, and answers the line. */
  add(line: Omit<Booking, "reference">): Booking {
    this.#references += 1;
    const booking = {
      ...line,
      reference: `${this.#name}-${String(this.#references).padStart(9, "0")}`,
    };
    this.#of(line.account, line.currency).bookings.push(booking);
    return booking;
  }

  /** How often a payment was debited: 2 is what must never be. */
  paid(endToEndId: string): number {
    return this.#about(endToEndId, "debit").length;
  }

  /** How often a payment came back. */
  returned(endToEndId: string): number {
    return this.#about(endToEndId, "credit").length;
  }

  /** The payments that were debited, each as often as it was. */
  payments(): readonly Instructed[] {
    return this.#all()
      .filter(({ direction }) => direction === "debit")
      .flatMap(({ payments }) => payments);
  }

  /** What left in payments and what came back of them, by currency, in hundredths. */
  sums(currency: string): { readonly paid: bigint; readonly returned: bigint } {
    const own = this.#all().filter((each) => each.currency === currency);
    const back = own.filter(({ direction }) => direction === "credit");
    const left = this.payments().filter((each) => each.currency === currency);
    return { paid: sumOf(left), returned: sumOf(back) };
  }

  /** What an account has now. */
  balance(accountId: string): bigint | undefined {
    const ledger = [...this.#ledgers.values()].find(({ account }) => account.id === accountId);
    return ledger && balanceOf(ledger, ledger.bookings.length);
  }

  /** Closes the day of every account; what is booked afterwards is on the next statement. */
  close(on: string): Day[] {
    return [...this.#ledgers.values()].map((ledger): Day => {
      const { account, currency, bookings, closed } = ledger;
      ledger.days += 1;
      ledger.closed = bookings.length;
      return {
        account,
        currency,
        number: ledger.days,
        on,
        opening: balanceOf(ledger, closed),
        closing: balanceOf(ledger, bookings.length),
        bookings: bookings.slice(closed),
      };
    });
  }

  /** Lets an account have a statement before anything was booked on it. */
  open(account: CustomerAccount, currency: string): void {
    this.#of(account, currency);
  }

  #of(account: CustomerAccount, currency: string): Ledger {
    const key = `${account.id} ${currency}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const opening = this.#opening;
    const ledger: Ledger = { account, currency, opening, bookings: [], closed: 0, days: 0 };
    this.#ledgers.set(key, ledger);
    return ledger;
  }

  #all(): Booking[] {
    return [...this.#ledgers.values()].flatMap(({ bookings }) => bookings);
  }

  #about(endToEndId: string, direction: Booking["direction"]): Instructed[] {
    return this.#all()
      .filter((each) => each.direction === direction)
      .flatMap(({ payments }) => payments)
      .filter((payment) => isOf(payment, endToEndId));
  }
}

/** The receiver's identification of an ACH entry has room for the end of an end-to-end id. */
const achReferenceMax = 15;

/** Whether a payment is the one of an end-to-end id. */
export function isOf({ reference, ach }: Instructed, endToEndId: string): boolean {
  return reference === (ach === undefined ? endToEndId : endToEndId.slice(-achReferenceMax));
}

function balanceOf({ opening, bookings }: Ledger, count: number): bigint {
  return bookings.slice(0, count).reduce((balance, { direction, minor }) => {
    return direction === "credit" ? balance + minor : balance - minor;
  }, opening);
}
