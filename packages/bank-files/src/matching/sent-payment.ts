import type { Money } from "../text/minor-units.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

/** The last proven state of a payment; `debited` means that its debit was booked. */
export type SentState = "sent" | "debited" | "rejected" | "returned";

/** One booking of a payment in one kind of report. */
export type Booking = {
  /**
   * The kind of report. A statement and a notification may each report the same booking, under
   * different references.
   */
  readonly source: "statement" | "notification";
  /** `block` if the bank booked the whole block as one sum. */
  readonly as: "payment" | "block";
  readonly reference?: string;
};

/** A booking of a charge for a payment. */
export type ChargeBooking = Booking & {
  /** Minor units and currency, `1500 USD`; below zero for a refunded charge. */
  readonly amount: string;
};

/** A payment that was sent in a file, as the rail stored it. Absent fields are not compared. */
export type SentPayment = {
  readonly payoutId: string;
  readonly endToEndId: string;
  readonly instructionId?: string;
  readonly uetr?: string;
  /** The bank's own reference, if a report gave one. */
  readonly bankReference?: string;
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  /** `trace`, `companyId` and `transactionCode` are set for an ACH entry. */
  readonly trace?: string;
  readonly companyId?: string;
  readonly transactionCode?: string;
  readonly amount: Money;
  /** The debtor's account as statements identify it: IBAN or number. */
  readonly account?: string;
  readonly state: SentState;
  /** The reason why the outcome is unknown after earlier files. */
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

/** The references that identify a payment, in order of precedence. */
const identifying = ["endToEndId", "instructionId", "uetr", "bankReference"] as const;

/**
 * The payments that a file may concern, updated with facts from earlier parts of the file. For a
 * report on a file or a block, add all payments of that file or block.
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

  /** Adds payments to those already present. */
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
   * Finds the payment that the references identify. The first reference that is known decides. If a
   * later reference identifies another payment, the result is "contradicting-references".
   * `repeated` are references that the bank must return unchanged, so a different value
   * contradicts. Every bank returns the EndToEndId unchanged, but may replace an InstrId or a UETR
   * in bookings.
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

  /**
   * Returns all payments with a trace number. Trace numbers repeat after years, so there may be
   * several.
   */
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

/** True if both references are present and differ. */
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
