import { findCurrency } from "@disburse/kernel/currency.ts";
import type { Charge, Entry, EntryTransaction } from "../iso20022/reports/entry.ts";
import { present } from "../iso20022/reports/report.ts";
import type { Statement } from "../iso20022/reports/statement.ts";
import type { Money } from "../text/minor-units.ts";
import { isOf } from "./balance.ts";
import {
  type Booking,
  type ChargeBooking,
  contradicts,
  type NotFound,
  type SentPayment,
  type SentPayments,
} from "./sent-payment.ts";
import type { UnknownOutcome } from "./unknown-outcome.ts";
import type { Source, Unmatched, Verdict } from "./verdict.ts";

/** Facts about a rail's account that are needed to judge its bookings. */
export type AccountProfile = {
  /**
   * The account's names in the bank's statements: IBAN, number, or both. Empty accepts any account.
   */
  readonly accounts: readonly string[];
  /** A return may be short of the payment by this many minor units without naming the charges. */
  readonly returnChargesMax: bigint;
};

/** One payment of an entry. An entry without payment details counts as one payment. */
type Unit = EntryTransaction & {
  /** The amount booked for this payment. Absent if the file does not state it. */
  readonly booked: Money | undefined;
  readonly place: string;
  /**
   * True if the entry has several payments. The entry's own references and charges are then not
   * this payment's.
   */
  readonly isShared: boolean;
  readonly as: Booking["as"];
};

/**
 * Judges the entries of a statement or notification in order. An entry that is not booked moves no
 * money. Every booked entry gives at least one verdict. EndToEndId, InstrId, UETR or the bank's
 * reference identifies a payment. PmtInfId together with a matching sum identifies a whole block.
 * Amount, currency, account and direction must agree with the payment. A PmtInfId of another of our
 * blocks contradicts it. An absent element has no effect.
 */
export function entryVerdicts(
  statement: Statement,
  kind: Booking["source"],
  sent: SentPayments,
  profile: AccountProfile,
): Verdict[] {
  return new EntryJudge(statement, kind, sent, profile).verdicts();
}

/** Judges entries that move no money, such as those of a camt.052. */
export function entryInformation(statement: Statement, sent: SentPayments): Verdict[] {
  return statement.entries.flatMap((entry) =>
    unitsOf(entry).map((unit): Verdict => {
      const found = sent.find(unit);
      const source = sourceOf(entry, unit);
      return typeof found === "string"
        ? { source, verdict: "information" }
        : { source, verdict: "information", payoutId: found.payoutId };
    }),
  );
}

class EntryJudge {
  readonly #statement: Statement;
  readonly #kind: Booking["source"];
  readonly #sent: SentPayments;
  readonly #profile: AccountProfile;
  /** The place of each payment's first debit or return in this statement. */
  readonly #bookedAt = new Map<string, string>();
  /** The number of charges without a reference in this statement, by payment and amount. */
  readonly #unnamedCharges = new Map<string, number>();

  constructor(
    statement: Statement,
    kind: Booking["source"],
    sent: SentPayments,
    profile: AccountProfile,
  ) {
    this.#statement = statement;
    this.#kind = kind;
    this.#sent = sent;
    this.#profile = profile;
  }

  verdicts(): Verdict[] {
    const isOurs = isOf(this.#statement, this.#profile.accounts);
    return this.#statement.entries.flatMap((entry) => {
      if (entry.status !== "booked") {
        return entryInformation({ ...this.#statement, entries: [entry] }, this.#sent);
      }
      if (isOurs) return this.#entry(entry);
      const [unit] = unitsOf(entry);
      return unit === undefined ? [] : [unmatched(sourceOf(entry, unit), "another-account")];
    });
  }

  #entry(entry: Entry): Verdict[] {
    const units = unitsOf(entry);
    const found = units.map((unit) => this.#find(entry, unit));
    const isNone = found.every((each) => typeof each === "string");
    if (isNone && !found.includes("contradicting-references")) {
      const block = this.#block(entry, units);
      if (block !== undefined) return block;
    }
    const priced = withProvenAmounts(entry, units, found);
    return priced.map((unit, index) => {
      const payment = found[index] ?? "unknown";
      return typeof payment === "string"
        ? unmatched(sourceOf(entry, unit), payment)
        : this.#unit(payment.payoutId, entry, unit);
    });
  }

  /**
   * Finds the payment of a unit. A block id contradicts the payment only if it is the id of another
   * of our blocks, because banks may use their own block numbers.
   */
  #find(entry: Entry, unit: Unit): SentPayment | NotFound {
    const found = this.#sent.find(referencesOf(entry, unit));
    const [batch, ...others] = entry.batches;
    const ofEntry = others.length === 0 ? batch?.paymentInformationId : undefined;
    const block = unit.paymentInformationId ?? ofEntry;
    const isOther =
      typeof found !== "string" &&
      this.#sent.ofBatch(block).length > 0 &&
      contradicts(found.paymentInformationId, block);
    return isOther ? "contradicting-references" : found;
  }

  /**
   * Judges an entry that books a whole block as one sum. Either all its payments are booked, or
   * none.
   */
  #block(entry: Entry, units: readonly Unit[]): Verdict[] | undefined {
    const { batches, transactions, amount } = entry;
    const ids = new Set(
      [...batches, ...transactions].flatMap((each) => each.paymentInformationId ?? []),
    );
    const members = [...ids].flatMap((id) => this.#sent.ofBatch(id));
    const [unit] = units;
    if (members.length === 0 || unit === undefined) return undefined;
    const source = { ...sourceOf(entry, unit), place: `Ntry[${entry.number}]` };
    // None of the entry's references matched. An EndToEndId among them belongs to someone else's
    // payment.
    if (units.some(({ endToEndId }) => endToEndId !== undefined)) {
      return [unmatched(source, "contradicting-references")];
    }
    if (entry.direction === "credit" || entry.isReversal) {
      return [unmatched(source, "batch-credit")];
    }
    const paid = members.filter(({ state }) => state !== "rejected");
    const sum = paid.reduce((total, payment) => total + payment.amount.minor, 0n);
    const isSame = paid.every((payment) => payment.amount.currency === amount.currency);
    const counted = batches.length === 1 ? batches[0]?.payments : undefined;
    const isCounted = counted === undefined || counted === paid.length;
    if (!isSame || !isCounted || sum !== amount.minor) {
      return [unmatched(source, "batch-sum-differs")];
    }
    return paid.map(({ payoutId, endToEndId, amount: booked }) => {
      const member: Unit = {
        endToEndId,
        charges: [],
        booked,
        place: source.place,
        isShared: true,
        as: "block",
      };
      return this.#unit(payoutId, entry, member);
    });
  }

  #unit(payoutId: string, entry: Entry, unit: Unit): Verdict {
    const payment = this.#sent.get(payoutId);
    const source = sourceOf(entry, unit, payment);
    const { account } = this.#statement;
    const isOther =
      payment.account !== undefined &&
      payment.account !== account.iban &&
      payment.account !== account.number;
    if (isOther) return unknown(source, payment, "another-account");
    const booking: Booking = present<Booking>({
      source: this.#kind,
      as: unit.as,
      reference: unit.bankReference ?? entry.bankReference,
    });
    if (isCharge(entry, unit)) return this.#charge(source, payment, entry, unit, booking);
    const direction = unit.direction ?? entry.direction;
    if (direction === "credit") return this.#credit(source, payment, entry, unit, booking);
    if (entry.isReversal) return unknown(source, payment, "return-taken-back");
    return this.#debit(source, payment, entry, unit, booking);
  }

  #charge(
    source: Source,
    { payoutId, charges }: SentPayment,
    entry: Entry,
    unit: Unit,
    booking: Booking,
  ): Verdict {
    const { booked } = unit;
    // Only a known amount in a currency of the platform can be booked automatically.
    const isBookable =
      booked?.currency === entry.amount.currency && findCurrency(booked.currency) !== undefined;
    if (!isBookable) return unmatched(source, "charge-without-amount", [payoutId]);
    const direction = unit.direction ?? entry.direction;
    const minor = direction === "debit" ? booked.minor : -booked.minor;
    const charge = { minor, currency: booked.currency };
    const as: ChargeBooking = { ...booking, amount: `${minor} ${booked.currency}` };
    const equal = charges.filter(({ amount }) => amount === as.amount);
    if (this.#isKnownCharge(payoutId, equal, as)) return { source, verdict: "known", payoutId };
    this.#sent.learn(payoutId, { charges: [...charges, as] });
    // A statement and a notification may report one charge under different references. The charge
    // is new only if this kind of report now has more charges of this amount than the other kind.
    const own = equal.filter((each) => each.source === as.source).length + 1;
    return 2 * own <= equal.length + 1
      ? { source, verdict: "known", payoutId, booking: { of: "charge", as } }
      : { source, verdict: "charge", payoutId, charge, booking: as };
  }

  /**
   * True if an earlier report of the same kind contains this charge. `equal` are the known charges
   * of the same amount.
   */
  #isKnownCharge(payoutId: string, equal: readonly Booking[], booking: ChargeBooking): boolean {
    if (booking.reference !== undefined) return compare(equal, booking) === "same";
    // Charges without a reference can be told apart only by their number in one statement.
    const key = `${payoutId} ${booking.amount}`;
    const number = (this.#unnamedCharges.get(key) ?? 0) + 1;
    this.#unnamedCharges.set(key, number);
    return number <= alike(equal, booking).length;
  }

  #debit(
    source: Source,
    payment: SentPayment,
    entry: Entry,
    unit: Unit,
    booking: Booking,
  ): Verdict {
    const { payoutId, amount, state, debits } = payment;
    if (state === "rejected") return unknown(source, payment, "debited-after-rejection");
    if (state !== "sent") return this.#again(source, payment, "debit", booking, unit.place);
    const charges = chargesBeside(amount, entry, unit);
    if (charges === undefined) return unknown(source, payment, "amount-differs");
    this.#bookedAt.set(`debit ${payoutId}`, unit.place);
    this.#sent.learn(payoutId, { state: "debited", debits: [...debits, booking] });
    return present<Extract<Verdict, { verdict: "settled" }>>({
      source,
      verdict: "settled",
      payoutId,
      booking,
      bankReference: booking.reference,
      charges: charges === 0n ? undefined : { minor: charges, currency: amount.currency },
    });
  }

  #credit(
    source: Source,
    payment: SentPayment,
    entry: Entry,
    unit: Unit,
    booking: Booking,
  ): Verdict {
    const { payoutId, amount, state, returns } = payment;
    const { returned } = unit;
    const booked = unit.booked ?? (isInstructed(unit, amount) ? amount : undefined);
    const subFamily = unit.code?.subFamily ?? entry.code.subFamily;
    if (returned === undefined && !entry.isReversal && subFamily !== "RRTN") {
      return unknown(source, payment, "credit-that-is-no-return");
    }
    if (state === "rejected") return unknown(source, payment, "returned-after-rejection");
    if (state === "returned") return this.#again(source, payment, "return", booking, unit.place);
    if (booked?.currency !== amount.currency) {
      return unknown(source, payment, "returned-in-another-currency");
    }
    const short = amount.minor - booked.minor;
    if (short < 0n) return unknown(source, payment, "amount-differs");
    const named = sumOf(entry, unit, amount.currency);
    if (short > this.#profile.returnChargesMax && short !== named) {
      return unknown(source, payment, "returned-in-part");
    }
    this.#bookedAt.set(`return ${payoutId}`, unit.place);
    this.#sent.learn(payoutId, { state: "returned", returns: [...returns, booking] });
    return present<Extract<Verdict, { verdict: "returned" }>>({
      source,
      verdict: "returned",
      payoutId,
      amount: booked,
      booking,
      short: short === 0n ? undefined : { minor: short, currency: amount.currency },
      reason: returned ?? {},
    });
  }

  /**
   * True if the payment was booked twice. This is so if a report of the same kind has the booking
   * under another reference, or if this statement has it at another place. A page that the bank
   * sends again counts as a separate statement.
   */
  #isSecond(key: string, known: readonly Booking[], booking: Booking, place: string): boolean {
    const before = this.#bookedAt.get(key);
    this.#bookedAt.set(key, before ?? place);
    const compared = compare(known, booking);
    if (compared === "second") return true;
    return compared === "same" && before !== undefined && before !== place;
  }

  /** Judges a booking of a payment that is already debited or returned. */
  #again(
    source: Source,
    payment: SentPayment,
    of: "debit" | "return",
    booking: Booking,
    place: string,
  ): Verdict {
    const { payoutId, debits, returns } = payment;
    const known = of === "debit" ? debits : returns;
    if (this.#isSecond(`${of} ${payoutId}`, known, booking, place)) {
      return unknown(source, payment, of === "debit" ? "debited-twice" : "returned-twice");
    }
    const isNew = compare(known, booking) === "first" || isFirstName(known, booking);
    if (!isNew) return { source, verdict: "known", payoutId };
    const all = [...known, booking];
    this.#sent.learn(payoutId, of === "debit" ? { debits: all } : { returns: all });
    return { source, verdict: "known", payoutId, booking: { of, as: booking } };
  }
}

/** Returns the known bookings from the same kind of report, with the same `as`. */
function alike(known: readonly Booking[], booking: Booking): readonly Booking[] {
  return known.filter(({ source, as }) => source === booking.source && as === booking.as);
}

/**
 * Compares a booking with the known ones. `first`: no such booking is known. `same`: it repeats a
 * known one. `second`: it has another reference.
 */
function compare(known: readonly Booking[], booking: Booking): "first" | "same" | "second" {
  const same = alike(known, booking);
  if (same.length === 0) return "first";
  const isSame = same.some(({ reference }) => {
    return reference === undefined || reference === booking.reference;
  });
  return isSame || booking.reference === undefined ? "same" : "second";
}

/** True if the known bookings have no reference and this one has. */
function isFirstName(known: readonly Booking[], booking: Booking): boolean {
  const same = alike(known, booking);
  return booking.reference !== undefined && same.every(({ reference }) => reference === undefined);
}

function unitsOf(entry: Entry): Unit[] {
  const { transactions, amount, number } = entry;
  const place = `Ntry[${number}]`;
  if (transactions.length <= 1) {
    // An entry without details counts as one payment, which the bank's reference may identify.
    const [transaction = { charges: [] }] = transactions;
    return [{ ...transaction, booked: amount, place, isShared: false, as: "payment" }];
  }
  return transactions.map((transaction, index) => ({
    ...transaction,
    booked: transaction.amount,
    place: `${place}/TxDtls[${index + 1}]`,
    isShared: true,
    as: "payment",
  }));
}

/** The entry's bank reference identifies a payment only if the entry has no other payment. */
function referencesOf(entry: Entry, unit: Unit) {
  const { endToEndId, instructionId, uetr, isShared } = unit;
  const bankReference = unit.bankReference ?? (isShared ? undefined : entry.bankReference);
  return { endToEndId, instructionId, uetr, bankReference };
}

/**
 * Fills in amounts that the file omits with the amounts that we sent. If all payments are ours, the
 * amounts must add up to the entry, with or without charges. If some are not ours, the amounts must
 * only not exceed the entry. Otherwise the missing amounts stay unknown.
 */
function withProvenAmounts(
  entry: Entry,
  units: readonly Unit[],
  found: readonly (SentPayment | string)[],
): readonly Unit[] {
  const isSilent = ({ booked, instructed }: Unit) => booked === undefined && !instructed;
  if (!units.some(isSilent)) return units;
  const own = (index: number): Money | undefined => {
    const payment = found[index];
    const unit = units[index];
    // The booking of a charge does not have the payment's amount.
    const isOfPayment = unit !== undefined && !isCharge(entry, unit);
    return typeof payment === "string" || !isOfPayment ? undefined : payment?.amount;
  };
  const { currency } = entry.amount;
  const amounts = units.map((unit, index) => unit.booked ?? unit.instructed ?? own(index));
  const isWhole = amounts.every((amount) => amount?.currency === currency);
  const sum = amounts.reduce((total, amount) => total + (amount?.minor ?? 0n), 0n);
  const charges = units.reduce(
    (total, unit) => total + chargesOf(unit.charges, currency),
    chargesOf(entry.charges, currency),
  );
  const isProven = isWhole && (sum === entry.amount.minor || sum + charges === entry.amount.minor);
  if (isWhole && !isProven) return units;
  const isOpen = !isWhole && sum <= entry.amount.minor;
  if (!isProven && !isOpen) return units;
  return units.map((unit, index) => {
    const amount = own(index);
    return isSilent(unit) && amount?.currency === currency ? { ...unit, booked: amount } : unit;
  });
}

function isInstructed({ instructed }: Unit, amount: Money): boolean {
  return instructed !== undefined && isEqual(instructed, amount);
}

/**
 * Returns the charges that were debited on top of the amount. Returns `undefined` if the booking
 * does not fit the amount.
 */
function chargesBeside(amount: Money, entry: Entry, unit: Unit): bigint | undefined {
  const { booked } = unit;
  if (booked === undefined) return isInstructed(unit, amount) ? 0n : undefined;
  if (booked.currency !== amount.currency) {
    const isBooked = unit.amount === undefined || isEqual(unit.amount, booked);
    return isInstructed(unit, amount) && isBooked ? 0n : undefined;
  }
  const beside = booked.minor - amount.minor;
  if (beside === 0n) return 0n;
  return beside > 0n && beside === sumOf(entry, unit, amount.currency) ? beside : undefined;
}

/** The charges that a bank names for a payment. */
function sumOf(entry: Entry, unit: Unit, currency: string): bigint {
  if (unit.charges.length > 0) return chargesOf(unit.charges, currency);
  return unit.isShared ? 0n : chargesOf(entry.charges, currency);
}

function chargesOf(charges: readonly Charge[], currency: string): bigint {
  return charges
    .filter((each) => each.amount.currency === currency && each.direction !== "credit")
    .reduce((total, each) => total + each.amount.minor, 0n);
}

/** Sub-families of ISO 20022's bank transaction codes for charges, commissions, fees and taxes. */
const chargeCodes: ReadonlySet<string> = new Set([
  ...["CHRG", "COMM", "COME", "COMI", "COMT", "FEES", "TAXE"],
]);

/**
 * SWIFT's transaction types for charges and commissions (MT 940, field 61). Banks put them in
 * `Prtry`.
 */
const swiftCharge = /^[NFS](?:CHG|COM)\b/;

/** True if the unit books a charge, not the payment itself. */
function isCharge(entry: Entry, unit: Unit): boolean {
  const subFamily = unit.code?.subFamily ?? entry.code.subFamily ?? "";
  const proprietary = unit.code?.proprietary ?? entry.code.proprietary ?? "";
  return chargeCodes.has(subFamily) || swiftCharge.test(proprietary);
}

function isEqual(a: Money, b: Money): boolean {
  return a.minor === b.minor && a.currency === b.currency;
}

function sourceOf(entry: Entry, unit: Unit, payment?: SentPayment): Source {
  const { endToEndId, instructionId, uetr, bankReference, place, returned } = unit;
  const amount = unit.booked ?? unit.instructed;
  return present<Source>({
    place,
    reference:
      endToEndId ??
      instructionId ??
      uetr ??
      bankReference ??
      payment?.endToEndId ??
      entry.bankReference ??
      "",
    code: returned?.code ?? returned?.proprietary ?? "",
    amount,
    direction: unit.direction ?? entry.direction,
  });
}

function unknown(source: Source, { payoutId }: SentPayment, why: UnknownOutcome): Verdict {
  return { source, verdict: "unknown_outcome", payoutId, why };
}

function unmatched(source: Source, why: Unmatched, payoutIds?: readonly string[]): Verdict {
  return { source, verdict: "unmatched", why, ...(payoutIds !== undefined && { payoutIds }) };
}
