import type { Verdict } from "@disburse/bank-files/matching/verdict.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { PaymentDocument } from "./documents.ts";

/** A verdict on a payment, its reason in our words. */
export type BankVerdict =
  | { readonly verdict: "accepted"; readonly payoutId: string; readonly bankReference?: string }
  | {
      readonly verdict: "settled";
      readonly payoutId: string;
      readonly debitedAs?: "payment" | "block";
      readonly chargesMinor?: bigint;
      readonly bankReference?: string;
    }
  | { readonly verdict: "rejected"; readonly payoutId: string; readonly failure: Failure }
  | {
      readonly verdict: "returned";
      readonly payoutId: string;
      readonly amountMinor: bigint;
      readonly shortMinor?: bigint;
      readonly bankReference?: string;
      readonly failure: Failure;
    }
  | { readonly verdict: "known"; readonly payoutId: string; readonly bankReference?: string }
  | { readonly verdict: "doubt"; readonly payoutId: string; readonly doubt: string };

/** Verdicts on payments of ISO 20022 in our words; what is unmatched is not among them. */
export function bankVerdict(
  verdict: Exclude<Verdict, { verdict: "unmatched" }>,
  failureOf: (reason: Extract<Verdict, { verdict: "rejected" }>["reason"]) => Failure,
): BankVerdict {
  switch (verdict.verdict) {
    case "settled": {
      const { debited: _debited, charges, ...rest } = verdict;
      return { ...rest, ...(charges !== undefined && { chargesMinor: charges.minor }) };
    }
    case "rejected":
      return {
        verdict: "rejected",
        payoutId: verdict.payoutId,
        failure: failureOf(verdict.reason),
      };
    case "returned": {
      const { amount, short, reason, ...rest } = verdict;
      return {
        ...{ ...rest, amountMinor: amount.minor, failure: failureOf(reason) },
        ...(short !== undefined && { shortMinor: short.minor }),
      };
    }
    default:
      return verdict;
  }
}

/** What a verdict changes; a doubt that is `undefined` is over. */
type Change = { [Key in keyof PaymentDocument]?: PaymentDocument[Key] | undefined };

/** What verdicts on one payment change in it. */
export type PaymentChange = {
  readonly set: Partial<PaymentDocument>;
  readonly unset: readonly (keyof PaymentDocument)[];
};

/**
 * The change of a payment by what one file says of it, in order. What moves its payout makes it
 * owed; a doubt is kept beside whatever is known, and never changes it.
 */
export function changeBy(
  payment: PaymentDocument,
  verdicts: readonly BankVerdict[],
  at: Date,
): PaymentChange | undefined {
  const changes: Change = {};
  const now: PaymentDocument = { ...payment };
  for (const verdict of verdicts) {
    const change = changeOf(now, verdict, at);
    Object.assign(changes, change);
    Object.assign(now, change);
  }
  if (Object.keys(changes).length === 0) return undefined;
  const { doubt } = changes;
  const there = Object.entries(changes).filter(([, value]) => value !== undefined);
  const others = Object.fromEntries(there) as Partial<PaymentDocument>;
  const isAtEnd = changes.state !== undefined;
  const isOwed = isAtEnd || doubt !== undefined;
  return {
    set: { ...others, ...(isOwed && { owed: true }), updated_at: at },
    // A doubt of before is over with what is proven now; its finding stays.
    unset: isAtEnd && doubt === undefined && payment.doubt !== undefined ? ["doubt"] : [],
  };
}

/** Payments as they are once verdicts are applied to them, for what the same file says next. */
export function afterVerdicts(
  payments: readonly PaymentDocument[],
  verdicts: readonly BankVerdict[],
): PaymentDocument[] {
  const byPayment = Map.groupBy(verdicts, ({ payoutId }) => payoutId);
  return payments.map((payment) => {
    const change = changeBy(payment, byPayment.get(payment._id) ?? [], payment.updated_at);
    return change === undefined ? payment : ({ ...payment, ...change.set } as PaymentDocument);
  });
}

function changeOf(payment: PaymentDocument, verdict: BankVerdict, at: Date): Change {
  const learned = "bankReference" in verdict ? verdict.bankReference : undefined;
  const named = {
    ...(learned !== undefined && payment.bank_reference === undefined
      ? { bank_reference: learned }
      : {}),
  };
  switch (verdict.verdict) {
    case "accepted":
      return named;
    case "known":
      return isDebitLearned(payment, learned) ? { ...named, debit_reference: learned } : named;
    case "settled": {
      const { debitedAs, chargesMinor } = verdict;
      return {
        ...{ ...named, state: "settled", reference: referenceOf(payment, learned) },
        doubt: undefined,
        ...(debitedAs !== undefined && { debited_as: debitedAs }),
        ...(debitedAs !== undefined && learned !== undefined && { debit_reference: learned }),
        ...(chargesMinor !== undefined && { charges_minor: toDecimal128(chargesMinor) }),
      };
    }
    case "rejected":
      return { state: "rejected", failure: storedFailure(verdict.failure), doubt: undefined };
    case "returned": {
      const { amountMinor, shortMinor, bankReference, failure } = verdict;
      return {
        ...{ state: "returned", failure: storedFailure(failure), doubt: undefined },
        reference: payment.reference ?? referenceOf(payment, payment.bank_reference),
        returned: {
          ...{ amount_minor: toDecimal128(amountMinor), at },
          ...(shortMinor !== undefined && { short_minor: toDecimal128(shortMinor) }),
          ...(bankReference !== undefined && { reference: bankReference }),
        },
      };
    }
    case "doubt":
      return payment.doubt?.why === verdict.doubt ? {} : { doubt: { why: verdict.doubt, at } };
  }
}

/** A debit was known without a reference, by a status, and a booking is the first to name one. */
function isDebitLearned(
  { state, debit_reference: known }: PaymentDocument,
  learned: string | undefined,
): learned is string {
  return learned !== undefined && state === "settled" && known === undefined;
}

/** What merchants read: the bank's reference, else ours; printable, without blanks. */
export function referenceOf(
  { trace, bank_reference: known, _id }: PaymentDocument,
  bankReference: string | undefined,
): string {
  const given = (bankReference ?? known ?? "").replace(/[^\x21-\x7e]/g, "").slice(0, 128);
  if (given !== "") return given;
  return trace ?? _id.slice(_id.indexOf("_") + 1).toUpperCase();
}

/** A failure as it is stored. */
export function storedFailure({
  code,
  railCode,
}: Failure): NonNullable<PaymentDocument["failure"]> {
  return { code, ...(railCode !== undefined && { rail_code: railCode }) };
}
