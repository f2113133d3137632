import type { Charge, Entry, EntryTransaction } from "../iso20022/reports/entry.ts";
import { present } from "../iso20022/reports/report.ts";
import type { Statement } from "../iso20022/reports/statement.ts";
import type { Money } from "../text/minor-units.ts";
import type { SentPayment, SentPayments } from "./sent-payment.ts";
import type { Doubt, Unmatched, Verdict } from "./verdict.ts";

/** What a rail knows of its account and bank. */
export type AccountProfile = {
  /** The account as the bank names it in statements: IBAN, number, or both. */
  readonly accounts: readonly string[];
  /** What a return may be short of without naming charges, in minor units: else it is a part. */
  readonly returnChargesMax: bigint;
};

/** One payment of an entry, or the entry itself where it names none. */
type Unit = EntryTransaction & {
  readonly booked: Money | undefined;
  readonly isOfBlock?: true;
};

/** What is known of a payment, with what earlier entries of the same file say. */
type Known = Pick<SentPayment, "state" | "debitedAs" | "debitReference" | "returnReference">;

/**
 * What the booked entries of a statement or notification mean, in their order. What is not booked
 * moves nothing and gives no verdict. Every booked entry gives at least one.
 */
export function entryVerdicts(
  statement: Statement,
  sent: SentPayments,
  profile: AccountProfile,
): Verdict[] {
  return new EntryJudge(statement, sent, profile).verdicts();
}

class EntryJudge {
  readonly #statement: Statement;
  readonly #sent: SentPayments;
  readonly #profile: AccountProfile;
  readonly #known = new Map<string, Known>();

  constructor(statement: Statement, sent: SentPayments, profile: AccountProfile) {
    this.#statement = statement;
    this.#sent = sent;
    this.#profile = profile;
  }

  verdicts(): Verdict[] {
    const { account, entries } = this.#statement;
    const isOurs = [account.iban, account.number].some((each) => {
      return each !== undefined && this.#profile.accounts.includes(each);
    });
    const booked = entries.filter(({ status }) => status === "booked");
    if (isOurs) return booked.flatMap((entry) => this.#entry(entry));
    return booked.map((entry) => unmatched("another-account", `Ntry[${entry.number}]`));
  }

  #entry(entry: Entry): Verdict[] {
    const { transactions, amount } = entry;
    const isSingle = transactions.length <= 1;
    const units: Unit[] = transactions.map((each) => {
      return { ...each, booked: isSingle ? amount : each.amount };
    });
    // An entry without details may still be known by the bank's reference.
    if (units.length === 0) units.push({ charges: [], booked: amount });
    const found = units.map((unit) => this.#sent.find(this.#references(entry, unit, isSingle)));
    const place = `Ntry[${entry.number}]`;
    const isNone = found.every((each) => typeof each === "string");
    if (isNone && !found.includes("contradicting-references")) {
      const batch = this.#batch(entry);
      if (batch !== undefined) return batch;
    }
    return units.map((unit, index) => {
      const payment = found[index] ?? "unknown";
      const at = isSingle ? place : `${place}/TxDtls[${index + 1}]`;
      return typeof payment === "string"
        ? unmatched(payment, at)
        : this.#unit(payment, entry, unit);
    });
  }

  /** A bank's reference of the entry is the payment's only where the entry has no other. */
  #references(entry: Entry, unit: Unit, isSingle: boolean) {
    const { endToEndId, uetr } = unit;
    const bankReference = unit.bankReference ?? (isSingle ? entry.bankReference : undefined);
    return { endToEndId, uetr, bankReference };
  }

  /** Payments that are booked in one sum: all of a block or none. */
  #batch(entry: Entry): Verdict[] | undefined {
    const { batches, transactions, amount, number } = entry;
    const ids = new Set(
      [...batches, ...transactions].flatMap((each) => each.paymentInformationId ?? []),
    );
    const members = [...ids].flatMap((id) => this.#sent.ofBatch(id));
    if (members.length === 0) return undefined;
    const place = `Ntry[${number}]`;
    if (entry.direction === "credit" || entry.isReversal) return [unmatched("batch-credit", place)];
    const paid = members.filter((payment) => this.#knownOf(payment).state !== "rejected");
    const sum = paid.reduce((total, payment) => total + payment.amount.minor, 0n);
    const isSame = paid.every((payment) => payment.amount.currency === amount.currency);
    const counted = batches.length === 1 ? batches[0]?.payments : undefined;
    const isCounted = counted === undefined || counted === paid.length;
    if (!isSame || !isCounted || sum !== amount.minor) {
      return [unmatched("batch-sum-differs", place)];
    }
    return paid.map((payment) => {
      const unit: Unit = { charges: [], booked: payment.amount, isOfBlock: true };
      return this.#unit(payment, entry, unit);
    });
  }

  #unit(payment: SentPayment, entry: Entry, unit: Unit): Verdict {
    const { account } = this.#statement;
    if (payment.account !== account.iban && payment.account !== account.number) {
      return doubt(payment, "another-account");
    }
    const direction = unit.direction ?? entry.direction;
    if (direction === "credit") return this.#credit(payment, entry, unit);
    if (entry.isReversal) return doubt(payment, "return-taken-back");
    return this.#debit(payment, entry, unit);
  }

  #debit(payment: SentPayment, entry: Entry, unit: Unit): Verdict {
    const { payoutId, amount } = payment;
    const known = this.#knownOf(payment);
    const reference = unit.bankReference ?? entry.bankReference;
    if (known.state === "rejected") return doubt(payment, "debited-after-rejection");
    const debitedAs = unit.isOfBlock ? "block" : "payment";
    if (known.state !== "sent") {
      // A bank books a block and names its payments in another file, under other references.
      const isSameKind = (known.debitedAs ?? debitedAs) === debitedAs;
      if (isSameKind && differs(known.debitReference, reference)) {
        return doubt(payment, "debited-twice");
      }
      const learned = known.debitReference === undefined ? reference : undefined;
      if (learned !== undefined) {
        this.#learn(payment, { ...known, debitedAs, debitReference: learned });
      }
      return present<Extract<Verdict, { verdict: "known" }>>({
        ...{ verdict: "known", payoutId, bankReference: learned },
      });
    }
    const charges = chargesBeside(amount, entry, unit);
    if (charges === undefined) return doubt(payment, "amount-differs");
    this.#learn(payment, { state: "debited", debitedAs, debitReference: reference });
    return present<Extract<Verdict, { verdict: "settled" }>>({
      ...{ verdict: "settled", payoutId, debitedAs, bankReference: reference },
      debited: unit.booked,
      charges: charges === 0n ? undefined : { minor: charges, currency: amount.currency },
    });
  }

  #credit(payment: SentPayment, entry: Entry, unit: Unit): Verdict {
    const { payoutId, amount } = payment;
    const known = this.#knownOf(payment);
    const reference = unit.bankReference ?? entry.bankReference;
    const { booked, returned } = unit;
    if (returned === undefined && !entry.isReversal && entry.code.subFamily !== "RRTN") {
      return doubt(payment, "credit-that-is-no-return");
    }
    if (known.state === "rejected") return doubt(payment, "returned-after-rejection");
    if (known.state === "returned") {
      const isOther = differs(known.returnReference, reference);
      return isOther ? doubt(payment, "returned-twice") : { verdict: "known", payoutId };
    }
    if (booked === undefined) return doubt(payment, "amount-differs");
    if (booked.currency !== amount.currency) return doubt(payment, "returned-in-another-currency");
    const short = amount.minor - booked.minor;
    if (short < 0n) return doubt(payment, "amount-differs");
    const named = sumOf(entry, unit, amount.currency);
    if (short > this.#profile.returnChargesMax && short !== named) {
      return doubt(payment, "returned-in-part");
    }
    this.#learn(payment, { ...known, state: "returned", returnReference: reference });
    return present<Extract<Verdict, { verdict: "returned" }>>({
      ...{ verdict: "returned", payoutId, amount: booked, bankReference: reference },
      short: short === 0n ? undefined : { minor: short, currency: amount.currency },
      reason: returned ?? {},
    });
  }

  #knownOf(payment: SentPayment): Known {
    return this.#known.get(payment.payoutId) ?? payment;
  }

  #learn(
    { payoutId }: SentPayment,
    known: { [Key in keyof Known]: Known[Key] | undefined } & Pick<Known, "state">,
  ): void {
    this.#known.set(payoutId, present<Known>(known));
  }
}

/**
 * What was debited beside the amount, 0 or more; `undefined` where the booking is not that of the
 * payment. In another currency than the payment's the instructed amount has to be its own.
 */
function chargesBeside(amount: Money, entry: Entry, unit: Unit): bigint | undefined {
  const { booked, instructed } = unit;
  if (booked === undefined) return undefined;
  if (booked.currency !== amount.currency) {
    const isInstructed =
      instructed?.minor === amount.minor && instructed.currency === amount.currency;
    const isBooked = unit.amount === undefined || isEqual(unit.amount, booked);
    return isInstructed && isBooked ? 0n : undefined;
  }
  const beside = booked.minor - amount.minor;
  if (beside === 0n) return 0n;
  return beside > 0n && beside === sumOf(entry, unit, amount.currency) ? beside : undefined;
}

/** The charges that a bank names for a payment. */
function sumOf(entry: Entry, unit: Unit, currency: string): bigint {
  const sum = (charges: readonly Charge[]) =>
    charges
      .filter((each) => each.amount.currency === currency && each.direction !== "credit")
      .reduce((total, each) => total + each.amount.minor, 0n);
  return unit.charges.length > 0 ? sum(unit.charges) : sum(entry.charges);
}

function isEqual(a: Money, b: Money): boolean {
  return a.minor === b.minor && a.currency === b.currency;
}

/** Whether two references are there and not the same: without one nothing says so. */
function differs(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function doubt({ payoutId }: SentPayment, why: Doubt): Verdict {
  return { verdict: "doubt", payoutId, doubt: why };
}

function unmatched(why: Unmatched, place: string): Verdict {
  return { verdict: "unmatched", unmatched: why, place };
}
