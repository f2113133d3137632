import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Instruction } from "@disburse/rail/rail.ts";
import type { Seals } from "./contents.ts";
import type { BankStore, PaymentDocument, PaymentState, StoredPlan } from "./documents.ts";

/**
 * The parts of an instruction that a file needs in addition to the amount. They name persons, so
 * they are encrypted.
 */
export type Order = Omit<Instruction, "amount" | "currency" | "network" | "referenceId">;

const contextOf = (payoutId: string) => `${payoutId}|bank payment`;

/** A new payment, with its instruction and plan. */
export type NewPayment = {
  readonly key: string;
  readonly rail: string;
  readonly account: string;
  readonly instruction: Instruction;
  readonly plan: StoredPlan;
  readonly at: Date;
};

/** Accepts a payment once. A repeated call changes nothing, even with other payment data. */
export async function acceptPayment(
  { payments }: Pick<BankStore, "payments">,
  sealer: Seals,
  { key, rail, account, instruction, plan, at }: NewPayment,
): Promise<void> {
  const { amount, currency, network: _network, referenceId: _reference, ...order } = instruction;
  await insertOnce(payments, {
    ...blank(key, rail, at),
    state: "waiting",
    currency,
    amount_minor: toDecimal128(amount),
    account,
    plan,
    sealed: sealer.seal(JSON.stringify(order satisfies Order), contextOf(key)),
  });
}

/** Decrypts the order of a payment, which must never be logged. */
export function orderOf({ _id, sealed }: PaymentDocument, sealer: Seals): Order {
  if (sealed === undefined)
    throw new Error(`payment ${_id} has no encrypted order in the database`);
  return JSON.parse(sealer.open(sealed, contextOf(_id))) as Order;
}

/**
 * Cancels a payment that no file has claimed. A conditional write ensures that either this call or
 * a file gets the payment. For an unknown key this call stores a tombstone, so that the payment is
 * not accepted later.
 */
export async function withdrawPayment(
  { payments }: Pick<BankStore, "payments">,
  rail: string,
  key: string,
  at: Date,
): Promise<boolean> {
  const never = new Date(0);
  await insertOnce(payments, {
    ...blank(key, rail, at),
    state: "withdrawn",
    currency: "",
    amount_minor: toDecimal128(0n),
    account: "",
    plan: { due_at: never, closes_at: never, on: "", settles_on: "" },
  });
  await payments.updateOne(
    { _id: key, state: "waiting" },
    {
      $set: { state: "withdrawn", updated_at: at },
      $unset: { sealed: "" },
      $inc: { revision: 1 },
    },
  );
  const found = await payments.findOne({ _id: key });
  if (found === null) throw new Error(`payment ${key} has no document in the database`);
  // A file that could not be written may have returned the payment to the queue since the update.
  return neverPaid.has(found.state);
}

/** States in which the rail never pays the payment. */
const neverPaid: ReadonlySet<PaymentState> = new Set(["withdrawn", "returned", "rejected"]);

function blank(key: string, rail: string, at: Date) {
  return {
    _id: key,
    schema_version: 1,
    rail,
    revision: 1,
    uetr: crypto.randomUUID(),
    accepted_at: at,
    updated_at: at,
  };
}

export const sealedPayments: SealedPlace = {
  collection: "bank_payments",
  reseal: ({ _id, sealed }, sealer) => {
    if (sealed === undefined) return undefined;
    return resealTexts([{ path: "sealed", text: sealed, context: contextOf(_id) }], sealer);
  },
};
