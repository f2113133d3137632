import type { Reason } from "@disburse/bank-files/iso20022/reports/report.ts";
import type { SentPayment, SentState } from "@disburse/bank-files/matching/sent-payment.ts";
import { graverOf } from "@disburse/bank-files/matching/unknown-outcome.ts";
import type { Verdict } from "@disburse/bank-files/matching/verdict.ts";
import { endToEndIdOf } from "@disburse/bank-files/references.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { PaymentDocument, StoredCharge } from "../documents.ts";

const states: Readonly<Record<PaymentDocument["state"], SentState>> = {
  waiting: "sent",
  filed: "sent",
  settled: "debited",
  rejected: "rejected",
  withdrawn: "rejected",
  returned: "returned",
};

/** Converts a stored payment to the form that matching requires. */
export function sentPayment(payment: PaymentDocument): SentPayment {
  const { _id: payoutId, uetr, file, block, trace, account, state, currency } = payment;
  const { company_id: companyId, transaction_code: transactionCode } = payment;
  const endToEndId = endToEndIdOf(payoutId);
  return {
    payoutId,
    endToEndId,
    // Files from this rail use one reference for both ids.
    instructionId: endToEndId,
    uetr,
    amount: { minor: fromDecimal128(payment.amount_minor), currency },
    state: states[state],
    debits: payment.debits ?? [],
    returns: payment.returns ?? [],
    charges: payment.charge_bookings ?? [],
    ...(payment.unknown_outcome !== undefined && { unknownOutcome: payment.unknown_outcome.why }),
    ...(account !== "" && { account }),
    ...(file !== undefined && { messageId: file }),
    ...(block !== undefined && { paymentInformationId: block }),
    ...(trace !== undefined && { trace }),
    ...(companyId !== undefined && { companyId }),
    ...(transactionCode !== undefined && { transactionCode }),
    ...(payment.bank_reference !== undefined && { bankReference: payment.bank_reference }),
  };
}

export type FailureOf = (reason: Reason) => Failure;

export type PaymentVerdict = Exclude<Verdict, { readonly verdict: "information" | "unmatched" }>;

/** The changed fields of a payment. `unknown_outcome: undefined` removes an unknown outcome. */
type Change = { [Key in keyof PaymentDocument]?: PaymentDocument[Key] | undefined };

/** The update of a payment by its verdicts. */
export type PaymentChange = {
  readonly set: Partial<PaymentDocument>;
  readonly unset: readonly (keyof PaymentDocument)[];
};

/**
 * Returns the change to a payment from one file's verdicts, applied in order. Returns `undefined`
 * if nothing changes. If the change concerns the payout, the payout queries the rail again. An
 * unknown outcome is stored in addition to the known state and never changes that state.
 */
export function changeBy(
  payment: PaymentDocument,
  verdicts: readonly PaymentVerdict[],
  at: Date,
  failureOf: FailureOf,
): PaymentChange | undefined {
  const changes: Change = {};
  const now: PaymentDocument = { ...payment };
  for (const verdict of verdicts) {
    const change = changeOf(now, verdict, at, failureOf);
    Object.assign(changes, change);
    Object.assign(now, change);
  }
  if (Object.keys(changes).length === 0) return undefined;
  const { unknown_outcome: unknownOutcome } = changes;
  const there = Object.entries(changes).filter(([, value]) => value !== undefined);
  const others = Object.fromEntries(there) as Partial<PaymentDocument>;
  const isAtEnd = changes.state !== undefined;
  const isPending = isAtEnd || unknownOutcome !== undefined || changes.charges !== undefined;
  return {
    set: { ...others, ...(isPending && { report_pending: true }), updated_at: at },
    // A proven outcome removes the unknown outcome. Its finding stays open.
    unset:
      isAtEnd && unknownOutcome === undefined && payment.unknown_outcome !== undefined
        ? ["unknown_outcome"]
        : [],
  };
}

function changeOf(
  payment: PaymentDocument,
  verdict: PaymentVerdict,
  at: Date,
  failureOf: FailureOf,
): Change {
  switch (verdict.verdict) {
    case "accepted":
      return learned(payment, verdict.bankReference);
    case "known":
      return verdict.booking === undefined ? {} : known(payment, verdict.booking);
    case "settled": {
      const { booking, charges, bankReference } = verdict;
      return {
        ...learned(payment, bankReference),
        state: "settled",
        reference: referenceOf(payment, bankReference),
        unknown_outcome: undefined,
        ...(booking !== undefined && { debits: [...(payment.debits ?? []), booking] }),
        ...(charges !== undefined && charged(payment, charges)),
      };
    }
    case "rejected":
      return {
        state: "rejected",
        failure: storedFailure(failureOf(verdict.reason)),
        unknown_outcome: undefined,
      };
    case "returned": {
      const { amount, short, reason, booking } = verdict;
      return {
        state: "returned",
        failure: storedFailure(failureOf(reason)),
        unknown_outcome: undefined,
        reference: payment.reference ?? referenceOf(payment, payment.bank_reference),
        returned: {
          amount_minor: toDecimal128(amount.minor),
          at,
          ...(short !== undefined && { short_minor: toDecimal128(short.minor) }),
        },
        ...(booking !== undefined && { returns: [...(payment.returns ?? []), booking] }),
      };
    }
    case "charge": {
      const { charge, booking } = verdict;
      const bookings = [...(payment.charge_bookings ?? []), booking];
      // Treasury must book a refunded charge manually, as the finding requests.
      if (charge.minor <= 0n) return { charge_bookings: bookings };
      return { charge_bookings: bookings, ...charged(payment, charge) };
    }
    case "unknown_outcome": {
      const known = payment.unknown_outcome?.why;
      const why = graverOf(known, verdict.why);
      return why === known ? {} : { unknown_outcome: { why, at } };
    }
    case "change":
      return {};
  }
}

function learned({ bank_reference: known }: PaymentDocument, reference: string | undefined) {
  return reference === undefined || known !== undefined ? {} : { bank_reference: reference };
}

function known(
  { debits = [], returns = [], charge_bookings = [], bank_reference: known }: PaymentDocument,
  booking: NonNullable<Extract<PaymentVerdict, { verdict: "known" }>["booking"]>,
): Change {
  switch (booking.of) {
    case "debit": {
      const { as } = booking;
      const isNamed = as.reference !== undefined && known === undefined;
      return { debits: [...debits, as], ...(isNamed && { bank_reference: as.reference }) };
    }
    case "return":
      return { returns: [...returns, booking.as] };
    case "charge":
      return { charge_bookings: [...charge_bookings, booking.as] };
  }
}

function charged(
  { charges = [] }: PaymentDocument,
  { minor, currency }: { readonly minor: bigint; readonly currency: string },
) {
  const charge: StoredCharge = { amount_minor: toDecimal128(minor), currency };
  return { charges: [...charges, charge] };
}

/**
 * Returns the reference for merchants: the bank's, or ours if the bank gave none. It contains only
 * printable characters without blanks.
 */
export function referenceOf(
  { trace, bank_reference: known, _id }: PaymentDocument,
  bankReference: string | undefined,
): string {
  const given = (bankReference ?? known ?? "").replace(/[^\x21-\x7e]/g, "").slice(0, 128);
  if (given !== "") return given;
  return trace ?? _id.slice(_id.indexOf("_") + 1).toUpperCase();
}

export function storedFailure({
  code,
  railCode,
}: Failure): NonNullable<PaymentDocument["failure"]> {
  return { code, ...(railCode !== undefined && { rail_code: railCode }) };
}
