import type { ServiceImpl } from "@connectrpc/connect";
import { createDailyReport } from "@disburse/chassis/rpc/daily-report.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type Days, dayOf } from "@disburse/kernel/days.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection } from "mongodb";
import { orThrow } from "../refusals.ts";
import type { DeliveryDocument } from "./documents.ts";
import type { DeliveryState } from "./rules/delivery.ts";
import { allStates, type DeliveryStore } from "./store.ts";

type ActivityDeps = {
  readonly deliveries: Pick<DeliveryStore, "collection">;
  readonly clock: Clock;
};

type DayCounts = Readonly<Record<DeliveryState, bigint>> & { readonly date: string };

/** Keys of the index `list` in one request. Counting them takes about a second. */
const deliveriesMax = 1_000_000;
const readMaxMs = 5_000;
/** A report has at most 20 kB. */
const keptMax = 1_000;

const tooMany = refused(
  "INVALID_REQUEST",
  `first_day: must be later, because there are more than ${deliveriesMax} deliveries since then`,
);

/** Serves the chart of a merchant's webhooks. */
export function deliveryActivityRpc({ deliveries, clock }: ActivityDeps) {
  const report = createDailyReport<readonly DayCounts[] | Refused<"INVALID_REQUEST">>({
    name: "delivery_activity",
    max: keptMax,
    clock,
    read: ([merchantId = ""], days) => countByDay(deliveries.collection, merchantId, days),
  });
  return {
    getDeliveryActivity: async ({ merchantId, ...days }) => ({
      days: [...orThrow((await report([merchantId], days)) ?? tooMany)],
    }),
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/** Reads index keys only, no documents. */
async function countByDay(
  deliveries: Collection<DeliveryDocument>,
  merchantId: string,
  { days, start, end }: Days,
): Promise<DayCounts[] | typeof tooMany> {
  type Row = { readonly _id: { readonly day: Date; readonly state: DeliveryState }; count: number };
  const rows = await deliveries
    .aggregate<Row>(
      [
        {
          $match: {
            merchant_id: merchantId,
            state: { $in: [...allStates] },
            created_at: { $gte: start, $lt: end },
          },
        },
        { $limit: deliveriesMax + 1 },
        {
          $group: {
            _id: { day: { $dateTrunc: { date: "$created_at", unit: "day" } }, state: "$state" },
            count: { $sum: 1 },
          },
        },
      ],
      { hint: "list", maxTimeMS: readMaxMs },
    )
    .toArray();
  if (rows.reduce((sum, { count }) => sum + count, 0) > deliveriesMax) return tooMany;
  const counts = new Map(
    rows.map(({ _id, count }) => [`${dayOf(_id.day)} ${_id.state}`, BigInt(count)]),
  );
  return days.map((date) => {
    const of = (state: DeliveryState) => counts.get(`${date} ${state}`) ?? 0n;
    const [delivered, pending] = [of("delivered"), of("pending")];
    return { date, delivered, pending, exhausted: of("exhausted"), cancelled: of("cancelled") };
  });
}
