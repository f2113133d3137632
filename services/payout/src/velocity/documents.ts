import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Decimal128 } from "mongodb";
import { dueAt, type Reservation, type Usage } from "./rules/usage.ts";
import type { Part } from "./rules/window.ts";

export type UsageDocument = {
  /**
   * The id shows what the usage counts. For limits it is the merchant's id, or `<merchant
   * id>:<destination key>`. For approval rules it is `<merchant id>:to:<destination key>` or
   * `<merchant id>:by:<root of the actor>`.
   */
  _id: string;
  schema_version: number;
  /** Changes with each write. A write requires the revision that was read. */
  revision: string;
  reservations: {
    payout_id: string;
    at: Date;
    currency: string;
    amount: Decimal128;
    /** Present until the payout is known to exist. The sweep uses it to find out. */
    open?: { quote_id: string; account_id: string; attempts: number; check_at: Date };
  }[];
  sums: { at: Date; currency: string; count: number; amount: Decimal128 }[];
  /** The time of the sweep's next check. */
  due_at: Date;
};

/** Converts a usage to its document. Returns `undefined` if the usage is empty. */
export function usageDocument(id: string, usage: Usage): UsageDocument | undefined {
  const due = dueAt(usage);
  if (due === undefined) return undefined;
  return {
    _id: id,
    schema_version: 1,
    revision: crypto.randomUUID(),
    reservations: usage.reservations.map(storedReservation),
    sums: usage.sums.map((each) => ({ ...each, amount: toDecimal128(each.amount) })),
    due_at: due,
  };
}

function storedReservation({ payoutId, at, currency, amount, open }: Reservation) {
  return {
    payout_id: payoutId,
    at,
    currency,
    amount: toDecimal128(amount),
    ...(open && {
      open: {
        quote_id: open.quoteId,
        account_id: open.accountId,
        attempts: open.attempts,
        check_at: open.checkAt,
      },
    }),
  };
}

export function toUsage(document: UsageDocument): Usage {
  return {
    reservations: document.reservations.map(toReservation),
    sums: document.sums.map((each): Part => ({ ...each, amount: fromDecimal128(each.amount) })),
  };
}

function toReservation(stored: UsageDocument["reservations"][number]): Reservation {
  const { payout_id: payoutId, at, currency, open } = stored;
  return {
    payoutId,
    at,
    currency,
    count: 1,
    amount: fromDecimal128(stored.amount),
    ...(open && {
      open: {
        quoteId: open.quote_id,
        accountId: open.account_id,
        attempts: open.attempts,
        checkAt: open.check_at,
      },
    }),
  };
}
