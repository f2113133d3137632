import type { Reason } from "../iso20022/reports/report.ts";
import type { AchChange } from "../nacha/addenda.ts";
import type { Money } from "../text/minor-units.ts";
import type { Booking, ChargeBooking, NotFound } from "./sent-payment.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";

/** Why a part of a file is matched to no payment. */
export type Unmatched =
  | NotFound
  | "unknown-file"
  | "unknown-batch"
  | "batch-sum-differs"
  | "batch-credit"
  /** A charge for a payment, without the amount of the charge. */
  | "charge-without-amount"
  | "another-account"
  /** A return with the trace number of a payment, of another company or kind of entry. */
  | "another-entry";

/** The part of a file that a verdict is about. */
export type Source = {
  /** Without content. */
  readonly place: string;
  /** The payment's reference as the file gives it; "" for none. */
  readonly reference: string;
  /** The reason or status code; "" for none. */
  readonly code: string;
  readonly amount?: Money;
  /** Of an entry of an account. */
  readonly direction?: "credit" | "debit";
};

/** The meaning of one part of a file for one payment. */
export type Verdict = { readonly source: Source } & (
  | { readonly verdict: "accepted"; readonly payoutId: string; readonly bankReference?: string }
  /** The money has left; `charges` were debited on top of the amount. */
  | {
      readonly verdict: "settled";
      readonly payoutId: string;
      /** Absent where a status says so. */
      readonly booking?: Booking;
      readonly charges?: Money;
      readonly bankReference?: string;
    }
  /** Not executed, by proof: the one verdict that releases money that is held. */
  | { readonly verdict: "rejected"; readonly payoutId: string; readonly reason: Reason }
  /** The money came back; the bank kept what is `short` of it. */
  | {
      readonly verdict: "returned";
      readonly payoutId: string;
      readonly amount: Money;
      readonly short?: Money;
      readonly reason: Reason;
      readonly booking?: Booking;
    }
  /** The bank took or gave back a charge for the payment; a debit is above zero. */
  | {
      readonly verdict: "charge";
      readonly payoutId: string;
      readonly charge: Money;
      readonly booking: ChargeBooking;
    }
  /** Known before: a file came twice, late or out of order. `booking` is a new name for it. */
  | {
      readonly verdict: "known";
      readonly payoutId: string;
      readonly booking?:
        | { readonly of: "debit" | "return"; readonly as: Booking }
        | { readonly of: "charge"; readonly as: ChargeBooking };
    }
  /** Leaves the payment as it is. `waitsForUs`: the bank may wait for our confirmation. */
  | { readonly verdict: "information"; readonly payoutId?: string; readonly waitsForUs?: true }
  /** The beneficiary's bank proposes other data; an operator decides. */
  | { readonly verdict: "change"; readonly payoutId: string; readonly change: AchChange }
  | {
      readonly verdict: "unknown_outcome";
      readonly payoutId: string;
      readonly why: UnknownOutcome;
    }
  /** `payoutIds` are payments that the part may be about. */
  | {
      readonly verdict: "unmatched";
      readonly why: Unmatched;
      readonly payoutIds?: readonly string[];
    }
);
