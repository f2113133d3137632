import type { Money } from "../text/minor-units.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

/** The last proven state of a payment; `debited` means that its debit was booked. */
export type SentState = "sent" | "debited" | "rejected" | "returned";

/** One booking of a payment in one kind of report. */
export type Booking = {
  /** Statements and notifications each report a booking once, under their own reference. */
  readonly source: "statement" | "notification";
  /** Booked by itself, or in the sum of its block. */
  readonly as: "payment" | "block";
  readonly reference?: string;
};

/** A booking of a charge for a payment. */
export type ChargeBooking = Booking & {
  /** Minor units and currency, `1500 USD`; below zero for a refunded charge. */
  readonly amount: string;
};

/** A payment that was sent in a file, as its rail stored it. Absent parts are not compared. */
export type SentPayment = {
  readonly payoutId: string;
  readonly endToEndId: string;
  readonly instructionId?: string;
  readonly uetr?: string;
  /** The bank's own reference, if a report gave one. */
  readonly bankReference?: string;
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  /** Set for an ACH entry: its trace number, its company's id and its transaction code. */
  readonly trace?: string;
  readonly companyId?: string;
  readonly transactionCode?: string;
  readonly amount: Money;
  /** The debtor's account in the form of statements: IBAN or number. */
  readonly account?: string;
  readonly state: SentState;
  /** Earlier files left the outcome unknown for this reason. */
  readonly unknownOutcome?: UnknownOutcome;
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

/** Reasons why references identify no payment. An operator decides; the code never guesses. */
export type NotFound = "no-reference" | "unknown" | "ambiguous" | "contradicting-references";

/** In the order in which they identify a payment. */
const identifying = ["endToEndId", "instructionId", "uetr", "bankReference"] as const;

/**
 * The payments that a file may concern, with the facts from its earlier parts. A report on a file
 * or a block needs all its payments.
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

  /** Keeps payments that are already present. */
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
   * Finds the one payment that references identify. The first known reference decides; if a later
   * one identifies another payment, none is found. `repeated` are the references that the report
   * repeats from our order: one that differs from ours contradicts. An EndToEndId travels
   * unchanged; banks may replace an InstrId or a UETR in bookings.
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

  /** Returns all payments that any of these references identifies. */
  anyOf(references: References): readonly SentPayment[] {
    return this.#all([...new Set(this.#namedBy(references).flat())]);
  }

  #namedBy(references: References): readonly (readonly string[])[] {
    return identifying
      .map((name) => this.#by[name].get(comparable(references[name])) ?? [])
      .filter((ids) => ids.length > 0);
  }

  ofBatch(paymentInformationId: string | undefined): readonly SentPayment[] {
    return this.#all(this.#batches.get(comparable(paymentInformationId)));
  }

  ofFile(messageId: string | undefined): readonly SentPayment[] {
    return this.#all(this.#files.get(comparable(messageId)));
  }

  /** Trace numbers repeat after years, so there may be several payments. */
  ofTrace(trace: string): readonly SentPayment[] {
    return this.#all(this.#traces.get(comparable(trace)));
  }

  /** Records a fact from one part of the file for the following parts. */
  learn(payoutId: string, known: Partial<SentPayment>): void {
    addTo(this.#by.bankReference, known.bankReference, payoutId);
    this.#byId.set(payoutId, { ...this.get(payoutId), ...known });
  }

  #all(ids: readonly string[] = []): readonly SentPayment[] {
    return ids.map((id) => this.get(id));
  }

  /** Returns a payment with the facts from earlier parts of the file. */
  get(id: string): SentPayment {
    const payment = this.#byId.get(id);
    if (payment === undefined) throw new Error("unknown payment");
    return payment;
  }
}

/** An absent reference contradicts nothing. */
export function contradicts(a: string | undefined, b: string | undefined): boolean {
  const [one, other] = [comparable(a), comparable(b)];
  return one !== "" && other !== "" && one !== other;
}

/** Banks write references in capitals or with blanks around them. */
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
