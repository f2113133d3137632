import type { Reason } from "../iso20022/reports/report.ts";
import type { PaymentStatusCode } from "../iso20022/reports/status-report.ts";
import type { Money } from "../text/minor-units.ts";
import type { NotFound } from "./sent-payment.ts";

/** Why a payment of ours goes before an operator: no money moves in the books for it. */
export type Doubt =
  /** Rejected for being a duplicate (`AM05`, `DU01` to `DU05`): the first one may be paid. */
  | "rejected-as-duplicate"
  /** Rejected after its debit was booked: the money has left. */
  | "rejected-after-debit"
  /** One level of a report says rejected, another one settled or accepted. */
  | "contradicting-levels"
  | "settled-after-rejection"
  | "debited-after-rejection"
  | "debited-twice"
  | "returned-after-rejection"
  | "returned-twice"
  | "return-taken-back"
  /** Less came back than the charges that are named or allowed explain. */
  | "returned-in-part"
  | "returned-in-another-currency"
  | "credit-that-is-no-return"
  | "amount-differs"
  | "another-account"
  | "cancelled"
  | "blocked";

/** What cannot be laid to a payment of ours. */
export type Unmatched =
  | NotFound
  | "unknown-file"
  | "unknown-batch"
  | "batch-sum-differs"
  | "batch-credit"
  | "another-account";

/** What an answer of a bank means for one payment, or that it means nothing that is provable. */
export type Verdict =
  /** On its way. The bank's reference is worth storing. */
  | {
      readonly verdict: "accepted";
      readonly payoutId: string;
      readonly status: PaymentStatusCode;
      readonly bankReference?: string;
    }
  /** The money has left; `charges` were debited on top of the amount. */
  | {
      readonly verdict: "settled";
      readonly payoutId: string;
      /** By a booking of its own or of its block; absent where a status says so. */
      readonly debitedAs?: "payment" | "block";
      readonly debited?: Money;
      readonly charges?: Money;
      readonly bankReference?: string;
    }
  /** Never paid: the one verdict that releases money that is held. */
  | { readonly verdict: "rejected"; readonly payoutId: string; readonly reason: Reason }
  /** The money came back; what is `short` of it the bank kept. */
  | {
      readonly verdict: "returned";
      readonly payoutId: string;
      readonly amount: Money;
      readonly short?: Money;
      readonly reason: Reason;
      readonly bankReference?: string;
    }
  /**
   * Says what is known already: a file came twice, late or out of order. `bankReference` is there
   * where a booking is the first to name one.
   */
  | { readonly verdict: "known"; readonly payoutId: string; readonly bankReference?: string }
  | { readonly verdict: "doubt"; readonly payoutId: string; readonly doubt: Doubt }
  /** `place` says where in the file, without content. */
  | { readonly verdict: "unmatched"; readonly unmatched: Unmatched; readonly place: string };
