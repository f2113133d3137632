import type { Money } from "../text/minor-units.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

/** The known state of a payment: a debit was booked, it was rejected, or it came back. */
export type SentState = "sent" | "debited" | "rejected" | "returned";

/** One booking of a payment, as one kind of report names it. */
export type Booking = {
  /** A booking stands once in statements and once in notifications, with references of each. */
  readonly source: "statement" | "notification";
  /** Booked by itself, or in the sum of its block. */
  readonly as: "payment" | "block";
  readonly reference?: string;
};

/** A booking of a charge for a payment. */
export type ChargeBooking = Booking & {
  /** Minor units and currency, `1500 USD`; below zero for a charge that is given back. */
  readonly amount: string;
};

/** A payment that was sent in a file, as its rail stored it. Absent parts are not compared. */
export type SentPayment = {
  readonly payoutId: string;
  readonly endToEndId: string;
  readonly instructionId?: string;
  readonly uetr?: string;
  /** The bank's own, where a report named one. */
  readonly bankReference?: string;
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  /** Of an ACH entry: its trace number, its company's id and its transaction code. */
  readonly trace?: string;
  readonly companyId?: string;
  readonly transactionCode?: string;
  readonly amount: Money;
  /** The debtor's account as statements name it: IBAN or number. */
  readonly account?: string;
  readonly state: SentState;
  /** Why its outcome is unknown, by earlier files. */
  readonly doubt?: UnknownOutcome;
  readonly debits: readonly Booking[];
  readonly returns: readonly Booking[];
  /** Charges that were booked apart from the payment. */
  readonly charges: readonly ChargeBooking[];
};

/** The references by which a bank may name a payment. */
export type References = {
  readonly endToEndId?: string | undefined;
  readonly instructionId?: string | undefined;
  readonly uetr?: string | undefined;
  readonly bankReference?: string | undefined;
};

/** Why references lead to no payment: an operator decides, nothing is guessed. */
export type NotFound = "no-reference" | "unknown" | "ambiguous" | "contradicting-references";

/** In the order in which they identify a payment. */
const identifying = ["endToEndId", "instructionId", "uetr", "bankReference"] as const;

/**
 * The payments that a file may be about, with what its earlier parts say of them. A report on a
 * file or a block needs all payments of it.
 */
export class SentPayments {
  readonly #byId = new Map<string, SentPayment>();
  readonly #by: Readonly<Record<keyof References, Map<string, string[]>>> = {
    endToEndId: new Map(),
    instructionId: new Map(),
    uetr: new Map(),
    bankReference: new Map(),
  };
  readonly #batches = new Map<string, string[]>();
  readonly #files = new Map<string, string[]>();
  readonly #traces = new Map<string, string[]>();

  constructor(payments: readonly SentPayment[] = []) {
    this.add(payments);
  }

  /** Adds payments that are not there yet. */
  add(payments: readonly SentPayment[]): void {
    for (const payment of payments) {
      const { payoutId } = payment;
      this.#byId.set(payoutId, payment);
      for (const name of identifying) addTo(this.#by[name], payment[name], payoutId);
      addTo(this.#batches, payment.paymentInformationId, payoutId);
      addTo(this.#files, payment.messageId, payoutId);
      addTo(this.#traces, payment.trace, payoutId);
    }
  }

  /**
   * The one payment that references lead to. The first identifying reference that is known
   * decides; where a later one leads to another payment, none is found. `repeated` are the
   * references that the report repeats from our order: one that differs from ours contradicts. An
   * EndToEndId travels unchanged; banks may write an InstrId or a UETR of their own into bookings.
   */
  find(
    references: References,
    repeated: readonly (keyof References)[] = ["endToEndId"],
  ): SentPayment | NotFound {
    const given = identifying.filter((name) => references[name] !== undefined);
    if (given.length === 0) return "no-reference";
    const found = this.#namedBy(references);
    const [[id, ...others] = []] = found;
    if (id === undefined) return "unknown";
    if (others.length > 0) return "ambiguous";
    const payment = this.get(id);
    const agrees =
      found.every((ids) => ids.includes(id)) &&
      !repeated.some((name) => contradicts(payment[name], references[name]));
    return agrees ? payment : "contradicting-references";
  }

  /** The payments that any of these references leads to. */
  anyOf(references: References): readonly SentPayment[] {
    return this.#all([...new Set(this.#namedBy(references).flat())]);
  }

  #namedBy(references: References): readonly (readonly string[])[] {
    return identifying
      .map((name) => this.#by[name].get(comparable(references[name])) ?? [])
      .filter((ids) => ids.length > 0);
  }

  /** The payments of a block. */
  ofBatch(paymentInformationId: string | undefined): readonly SentPayment[] {
    return this.#all(this.#batches.get(comparable(paymentInformationId)));
  }

  /** The payments of a file. */
  ofFile(messageId: string | undefined): readonly SentPayment[] {
    return this.#all(this.#files.get(comparable(messageId)));
  }

  /** The payments with a trace number: it may come again after years. */
  ofTrace(trace: string): readonly SentPayment[] {
    return this.#all(this.#traces.get(comparable(trace)));
  }

  /** Keeps what a part of the file says, for the parts after it. */
  learn(payoutId: string, known: Partial<SentPayment>): void {
    addTo(this.#by.bankReference, known.bankReference, payoutId);
    this.#byId.set(payoutId, { ...this.get(payoutId), ...known });
  }

  #all(ids: readonly string[] = []): readonly SentPayment[] {
    return ids.map((id) => this.get(id));
  }

  /** A payment as earlier parts of the file left it. */
  get(id: string): SentPayment {
    const payment = this.#byId.get(id);
    if (payment === undefined) throw new Error("no such payment");
    return payment;
  }
}

/** Whether two references are there and differ: an absent one says nothing. */
export function contradicts(a: string | undefined, b: string | undefined): boolean {
  const [one, other] = [comparable(a), comparable(b)];
  return one !== "" && other !== "" && one !== other;
}

/** Banks make capitals of references, and leave blanks around them. */
function comparable(reference: string | undefined): string {
  return reference?.trim().toUpperCase() ?? "";
}

function addTo(map: Map<string, string[]>, reference: string | undefined, id: string): void {
  const key = comparable(reference);
  if (key === "") return;
  const ids = map.get(key);
  if (ids === undefined) map.set(key, [id]);
  else ids.push(id);
}
