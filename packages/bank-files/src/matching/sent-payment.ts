import type { Money } from "../text/minor-units.ts";

/** What is known of a payment: a debit was booked, it was rejected before, or it came back. */
export type SentState = "sent" | "debited" | "rejected" | "returned";

/** A payment that was sent in a file, as its rail stored it. */
export type SentPayment = {
  readonly payoutId: string;
  readonly endToEndId: string;
  readonly uetr?: string;
  /** The bank's own, where a report named one. */
  readonly bankReference?: string;
  readonly messageId: string;
  readonly paymentInformationId: string;
  readonly amount: Money;
  /** The debtor's account as statements name it: IBAN or number. */
  readonly account: string;
  readonly state: SentState;
  /** How its debit was booked: by itself, or in the sum of its block. */
  readonly debitedAs?: "payment" | "block";
  /** The bank's reference of the entry that debited it, and of the one that brought it back. */
  readonly debitReference?: string;
  readonly returnReference?: string;
};

/** What a bank says of a payment that may lead to one of ours. */
export type References = {
  readonly endToEndId?: string | undefined;
  readonly uetr?: string | undefined;
  readonly bankReference?: string | undefined;
};

/** Why references lead to no payment: a person decides, nothing is guessed. */
export type NotFound = "no-reference" | "unknown" | "ambiguous" | "contradicting-references";

/** Sent payments by their references. All of a file are needed for what a bank says of the file. */
export class SentPayments {
  readonly #by: Readonly<Record<keyof References, Map<string, SentPayment[]>>> = {
    endToEndId: new Map(),
    uetr: new Map(),
    bankReference: new Map(),
  };
  readonly #batches = new Map<string, SentPayment[]>();
  readonly #files = new Map<string, SentPayment[]>();

  constructor(payments: readonly SentPayment[]) {
    for (const payment of payments) {
      for (const name of referenceNames) add(this.#by[name], payment[name], payment);
      add(this.#batches, payment.paymentInformationId, payment);
      add(this.#files, payment.messageId, payment);
    }
  }

  /**
   * The one payment that references lead to: the first of end-to-end id, UETR and bank's reference
   * that is known decides. Where a later one leads to another payment, none is found.
   */
  find(references: References): SentPayment | NotFound {
    const given = referenceNames.filter((name) => references[name] !== undefined);
    if (given.length === 0) return "no-reference";
    const found = given
      .map((name) => this.#by[name].get(comparable(references[name])) ?? [])
      .filter((payments) => payments.length > 0);
    const [[payment, ...others] = []] = found;
    if (payment === undefined) return "unknown";
    if (others.length > 0) return "ambiguous";
    const agrees = found.every((payments) => payments.includes(payment));
    return agrees ? payment : "contradicting-references";
  }

  /** The payments of a block. */
  ofBatch(paymentInformationId: string | undefined): readonly SentPayment[] {
    return this.#batches.get(comparable(paymentInformationId)) ?? [];
  }

  /** The payments of a file. */
  ofFile(messageId: string | undefined): readonly SentPayment[] {
    return this.#files.get(comparable(messageId)) ?? [];
  }
}

/** In the order in which they decide. */
const referenceNames = ["endToEndId", "uetr", "bankReference"] as const;

/** Banks make capitals of references, and leave blanks around them. */
function comparable(reference: string | undefined): string {
  return reference?.trim().toUpperCase() ?? "";
}

function add(
  map: Map<string, SentPayment[]>,
  reference: string | undefined,
  payment: SentPayment,
): void {
  if (reference === undefined || reference === "") return;
  const payments = map.get(comparable(reference));
  if (payments === undefined) map.set(comparable(reference), [payment]);
  else payments.push(payment);
}
