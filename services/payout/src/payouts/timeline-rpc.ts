import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { countedTotal, cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import {
  PayoutCause,
  PayoutEventSchema,
  type PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import { type StepCause, type TimelineEvent, timelineOf } from "./rules/timeline.ts";
import type { PayoutStore } from "./store.ts";
import { statusMessage, subStatusMessage } from "./wire.ts";

const causes = {
  executed: PayoutCause.EXECUTED,
  submitted: PayoutCause.SUBMITTED,
  accepted: PayoutCause.ACCEPTED,
  outcome_unknown: PayoutCause.OUTCOME_UNKNOWN,
  settled: PayoutCause.SETTLED,
  rejected: PayoutCause.REJECTED,
  returned: PayoutCause.RETURNED,
  resolved: PayoutCause.RESOLVED,
} as const satisfies Record<StepCause, PayoutCause>;

/** The merchant's view of a payout's way. */
export function timelineRpc({
  payouts,
}: {
  readonly payouts: PayoutStore;
}): Pick<ServiceImpl<typeof PayoutService>, "listPayoutEvents"> {
  return {
    listPayoutEvents: async ({ merchantId, payoutId, ...page }) => {
      const limit = orThrow(readLimit(page.limit));
      const start = orThrow(readStart(page.cursor));
      const steps = await payouts.steps(merchantId, payoutId);
      const events = timelineOf(orThrow(steps ?? refused("RECORD_NOT_FOUND")));
      const numbered = events.map((event, at) => ({ event, number: at + 1 }));
      // Events are never taken back, so their numbers stay what they are.
      const from = start === undefined ? 0 : Number(start.id);
      const read = numbered.filter(({ number }) => number > from).slice(0, limit + 1);
      const { shown, nextCursor } = cutPageBy(read, limit, ({ event, number }) =>
        writeCursor({ at: event.at, id: String(number) }),
      );
      const told = shown.map(({ event }) => eventMessage(event));
      return { events: told, nextCursor, ...countedTotal(events.length) };
    },
  };
}

function eventMessage({ status, subStatus, cause, version, at }: TimelineEvent) {
  return create(PayoutEventSchema, {
    status: statusMessage(status),
    subStatus: subStatusMessage(subStatus),
    cause: causes[cause],
    version,
    createdAt: timestampFromDate(at),
  });
}
