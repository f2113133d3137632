import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Decimal128 } from "mongodb";
import type { Payouts } from "../payouts/document.ts";
import type { RailAccountName } from "./accounts.ts";

/** Payouts that wait for funds of one rail account. */
export type WaitingSum = RailAccountName & {
  readonly count: number;
  /** The sum in minor units of the currency. */
  readonly sum: bigint;
};

const waiting = { "progress.stage": "awaiting_funds" } as const;

/** Sums the waiting payouts by rail account. The index contains only these payouts. */
export async function readWaiting(payouts: Payouts): Promise<readonly WaitingSum[]> {
  type Row = { _id: { rail: string; currency: string }; count: number; sum: Decimal128 };
  const rows = payouts.aggregate<Row>([
    { $match: waiting },
    {
      $group: {
        _id: { rail: "$rail", currency: "$destination" },
        count: { $sum: 1 },
        sum: { $sum: "$receiving_minor" },
      },
    },
  ]);
  return (await rows.toArray()).map(({ _id, count, sum }) => {
    return { ..._id, count, sum: fromDecimal128(sum) };
  });
}

/** Makes all payouts that wait for a rail account due now. */
export async function wakeWaiting(
  payouts: Payouts,
  { rail, currency }: RailAccountName,
  now: Date,
): Promise<void> {
  await payouts.updateMany(
    { ...waiting, rail, destination: currency },
    { $set: { work_due_at: now } },
  );
}
