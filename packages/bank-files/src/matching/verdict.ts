import type { Reason } from "../iso20022/reports/report.ts";
import type { AchChange } from "../nacha/addenda.ts";
import type { Money } from "../text/minor-units.ts";
import type { Booking, ChargeBooking, NotFound } from "./sent-payment.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

/** Reasons why a part of a file matches no payment. */
export type Unmatched =
  | NotFound
  | "unknown-file"
  | "unknown-batch"
  | "batch-sum-differs"
  | "batch-credit"
  /** A charge without an amount in the entry's currency, or in a currency unknown to the platform. */
  | "charge-without-amount"
  | "another-account"
  /** A return with the trace number of a payment, but another company id or transaction code. */
  | "another-entry";

/** The part of a file that gives a verdict. */
export type Source = {
  /** A path or line number in the file, without the text there. */
  readonly place: string;
  /** The payment's reference in the file; "" if there is none. */
  readonly reference: string;
  /** The reason or status code; "" if there is none. */
  readonly code: string;
  readonly amount?: Money;
  /** Set for an entry of an account. */
  readonly direction?: "credit" | "debit";
};

/** The meaning of one part of a file for one payment. */
export type Verdict = { readonly source: Source } & (
  | { readonly verdict: "accepted"; readonly payoutId: string; readonly bankReference?: string }
  /** The account was debited. `charges` were debited on top of the amount. */
  | {
      readonly verdict: "settled";
      readonly payoutId: string;
      /** Absent if a status report, not a booking, settled the payment. */
      readonly booking?: Booking;
      readonly charges?: Money;
      readonly bankReference?: string;
    }
  /** Proof that the payment was not executed. No other verdict releases held money. */
  | { readonly verdict: "rejected"; readonly payoutId: string; readonly reason: Reason }
  /** The money was returned, less `short`, which the bank kept. */
  | {
      readonly verdict: "returned";
      readonly payoutId: string;
      readonly amount: Money;
      readonly short?: Money;
      readonly reason: Reason;
      readonly booking?: Booking;
    }
  /** The bank debited or refunded a charge for the payment. A debit is positive. */
  | {
      readonly verdict: "charge";
      readonly payoutId: string;
      readonly charge: Money;
      readonly booking: ChargeBooking;
    }
  /**
   * The fact is already known, because a file arrived twice, late or out of order. `booking` is an
   * additional reference to store for the known booking.
   */
  | {
      readonly verdict: "known";
      readonly payoutId: string;
      readonly booking?:
        | { readonly of: "debit" | "return"; readonly as: Booking }
        | { readonly of: "charge"; readonly as: ChargeBooking };
    }
  /**
   * The payment is unchanged. `waitsForUs` means that the bank may be waiting for the platform's
   * confirmation.
   */
  | { readonly verdict: "information"; readonly payoutId?: string; readonly waitsForUs?: true }
  /** The beneficiary's bank proposes other data; an operator decides. */
  | { readonly verdict: "change"; readonly payoutId: string; readonly change: AchChange }
  | {
      readonly verdict: "unknown_outcome";
      readonly payoutId: string;
      readonly why: UnknownOutcome;
    }
  /** `payoutIds` are payments that the part may concern. */
  | {
      readonly verdict: "unmatched";
      readonly why: Unmatched;
      readonly payoutIds?: readonly string[];
    }
);
