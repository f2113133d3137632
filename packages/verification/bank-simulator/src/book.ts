import { sumOf } from "./amounts.ts";
import type { CustomerAccount, Instructed } from "./instructions.ts";

export type Booking = {
  readonly account: CustomerAccount;
  readonly currency: string;
  readonly direction: "debit" | "credit";
  readonly minor: bigint;
  /** The bank's charge. `charge` is part of the amount and is also named separately. */
  readonly charge: bigint;
  readonly reference: string;
  readonly bookedOn: string;
  /** One payment, or a block's payments booked in one sum. */
  readonly payments: readonly Instructed[];
  /** Present for a block booked in one sum. */
  readonly blockId?: string;
  readonly reason?: string;
};

export type Day = {
  readonly account: CustomerAccount;
  readonly currency: string;
  /** Number of this account's statement. Counts from 1. */
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

/** The bank's payments and returns. Tests compare the platform only with this book. */
export class Book {
  readonly #ledgers = new Map<string, Ledger>();
  readonly #opening: bigint;
  readonly #name: string;
  #references = 0;

  constructor({ opening, name }: { readonly opening: bigint; readonly name: string }) {
    this.#opening = opening;
    this.#name = name;
  }

  add(line: Omit<Booking, "reference">): Booking {
    this.#references += 1;
    const booking = {
      ...line,
      reference: `${this.#name}-${String(this.#references).padStart(9, "0")}`,
    };
    this.#of(line.account, line.currency).bookings.push(booking);
    return booking;
  }

  /** Returns how often a payment was debited. More than once is an error. */
  paid(endToEndId: string): number {
    return this.#about(endToEndId, "debit").length;
  }

  returned(endToEndId: string): number {
    return this.#about(endToEndId, "credit").length;
  }

  /** Returns the debited payments. A payment that was debited twice appears twice. */
  payments(): readonly Instructed[] {
    return this.#all()
      .filter(({ direction }) => direction === "debit")
      .flatMap(({ payments }) => payments);
  }

  /** Sums of payments and returns in one currency, in hundredths. */
  sums(currency: string): { readonly paid: bigint; readonly returned: bigint } {
    const own = this.#all().filter((each) => each.currency === currency);
    const back = own.filter(({ direction }) => direction === "credit");
    const left = this.payments().filter((each) => each.currency === currency);
    return { paid: sumOf(left), returned: sumOf(back) };
  }

  balance(accountId: string): bigint | undefined {
    const ledger = [...this.#ledgers.values()].find(({ account }) => account.id === accountId);
    return ledger && balanceOf(ledger, ledger.bookings.length);
  }

  /** Closes the day of every account. Later bookings go to the next statement. */
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

  /** Opens an account, so that it gets a statement without bookings. */
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

/**
 * An ACH entry's receiver identification has room only for the last 15 characters of an end-to-end
 * id.
 */
const achReferenceMax = 15;

/** Compares the full end-to-end id. For ACH, compares only the end of the id. */
export function isOf({ reference, ach }: Instructed, endToEndId: string): boolean {
  return reference === (ach === undefined ? endToEndId : endToEndId.slice(-achReferenceMax));
}

function balanceOf({ opening, bookings }: Ledger, count: number): bigint {
  return bookings.slice(0, count).reduce((balance, { direction, minor }) => {
    return direction === "credit" ? balance + minor : balance - minor;
  }, opening);
}
