import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart } from "@disburse/chassis/paging/cursor.ts";
import { countedTotal, cutPage } from "@disburse/chassis/paging/record-page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type ExecuteDeps, executePayout } from "./execution/execute.ts";
import { readExecuteRequest } from "./execution/request.ts";
import { accountRpc } from "./ledger/rpc.ts";
import { statementRpc } from "./ledger/statement-rpc.ts";
import type { PayoutCounts } from "./payouts/counts.ts";
import { isCountKept, readFilter } from "./payouts/list-request.ts";
import { timelineRpc } from "./payouts/timeline-rpc.ts";
import { payoutMessage } from "./payouts/wire.ts";
import { reportRpc } from "./rails/report-rpc.ts";
import { orThrow } from "./refusals.ts";

export type PayoutDeps = ExecuteDeps & {
  readonly counts: PayoutCounts;
  readonly clock: Clock;
  readonly mode: Mode;
};

/**
 * The RPCs of the payout service; proto/disburse/payout/v1/payout.proto tells what each promises.
 */
export function payoutRpc(deps: PayoutDeps): ServiceImpl<typeof PayoutService> {
  const { payouts, counts } = deps;
  return {
    ...accountRpc(deps.accounts, deps.clock),
    ...statementRpc(deps.accounts),
    ...reportRpc(deps),
    ...timelineRpc(deps),

    executePayout: async (message) => {
      const { operationId, actor } = readMutation(message.mutation);
      const { quoteId, referenceId } = orThrow(
        readExecuteRequest(message, deps.mode, deps.clock.now()),
      );
      const { merchantId } = message;
      const request = { merchantId, quoteId, referenceId, operationId, actor };
      return { payoutId: orThrow(await executePayout(deps, request)).id };
    },

    getPayout: async ({ merchantId, payoutId }) => {
      const payout = await payouts.read(merchantId, payoutId);
      return { payout: payoutMessage(orThrow(payout ?? refused("RECORD_NOT_FOUND"))) };
    },

    listPayouts: async (message) => {
      const limit = orThrow(readLimit(message.limit));
      const start = orThrow(readStart(message.cursor));
      const filter = readFilter(message);
      const { merchantId } = message;
      const total = async () =>
        isCountKept(filter)
          ? { totalCount: BigInt(await counts.total(merchantId, filter.status)) }
          : countedTotal(await payouts.count(merchantId, filter));
      const [read, counted] = await Promise.all([
        payouts.list(merchantId, filter, { after: start, limit: limit + 1 }),
        total(),
      ]);
      const { shown, nextCursor } = cutPage(read, limit);
      return { payouts: shown.map(payoutMessage), nextCursor, ...counted };
    },
  };
}
