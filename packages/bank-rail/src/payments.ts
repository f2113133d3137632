import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Instruction } from "@disburse/rail/rail.ts";
import type { Seals } from "./contents.ts";
import type { BankStore, PaymentDocument, PaymentState, StoredPlan } from "./documents.ts";

/** What a file needs of an instruction beside its amount: names and numbers, so it is sealed. */
export type Order = Omit<Instruction, "amount" | "currency" | "network" | "referenceId">;

/** What a payment is sealed for. */
const contextOf = (payoutId: string) => `${payoutId}|bank payment`;

/** A payment as it is taken: nothing but the instruction and when it leaves. */
export type NewPayment = {
  readonly key: string;
  readonly rail: string;
  readonly account: string;
  readonly instruction: Instruction;
  readonly plan: StoredPlan;
  readonly at: Date;
};

/** Takes a payment, once: a repeat changes nothing, whatever it says. */
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

/** Opens what a payment's file needs. Never logged. */
export function orderOf({ _id, sealed }: PaymentDocument, sealer: Seals): Order {
  if (sealed === undefined) throw new Error("a payment that is to be written has no order");
  return JSON.parse(sealer.open(sealed, contextOf(_id))) as Order;
}

/**
 * Takes a payment back, where no file has asked for it and got it; the write decides, as the one
 * that claims it for a file does. One that never came leaves a stone: it is not taken later.
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
  if (found === null) throw new Error("a stored payment is gone");
  // A file that could not be written may have returned it to the queue since the update.
  return neverPaid.has(found.state);
}

/** States in which the rail does not pay a payment any more. */
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

/** Where payments are sealed. */
export const sealedPayments: SealedPlace = {
  collection: "bank_payments",
  reseal: ({ _id, sealed }, sealer) => {
    if (sealed === undefined) return undefined;
    return resealTexts([{ path: "sealed", text: sealed, context: contextOf(_id) }], sealer);
  },
};
