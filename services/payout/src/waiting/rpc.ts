import type { MessageInitShape } from "@bufbuild/protobuf";
import { countedTotal, readPage } from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow, type PublicRefusal, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type {
  ApprovePayoutRequest,
  CancelPayoutRequest,
  GetPayoutRequest,
  ListPayoutEventsRequest,
  ListPayoutEventsResponseSchema,
  ListPayoutsRequest,
  Payout,
  RejectPayoutRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { PayoutCounts } from "@disburse/ledger/accounts.ts";
import type { ExecuteRequest } from "../execution/execute.ts";
import { approveOrder, type CancelOrderDeps, cancelOrder, rejectOrder } from "../orders/decide.ts";
import type { OrderDocument, Orders } from "../orders/document.ts";
import { eventList, type payoutsRpc } from "../payouts/rpc.ts";
import type { WaitingDocument } from "./document.ts";
import { withWaiting } from "./list.ts";
import { executeOrWait, type QueueDeps, type Queueing } from "./queue.ts";
import { findWaiting } from "./store.ts";
import { waitingEvents, waitingMessage } from "./wire.ts";

export type WaitingRpcDeps = Omit<CancelOrderDeps, "orders"> & {
  readonly waiting: Orders;
  readonly counts: PayoutCounts;
};

type Answer = { readonly payout: Payout };
/** The RPCs of payouts that also know waiting ones. */
type PayoutRpc = Pick<ReturnType<typeof payoutsRpc>, "listPayouts"> & {
  readonly getPayout: (message: GetPayoutRequest) => Promise<Answer>;
  readonly listPayoutEvents: (message: ListPayoutEventsRequest) => Promise<EventPage>;
  readonly cancelPayout: (message: CancelPayoutRequest) => Promise<Answer>;
  readonly approvePayout: (message: ApprovePayoutRequest) => Promise<Answer>;
  readonly rejectPayout: (message: RejectPayoutRequest) => Promise<Answer>;
};

type EventPage = MessageInitShape<typeof ListPayoutEventsResponseSchema>;

/**
 * Extends RPCs of payouts to payouts that wait for balance. They are looked up only if there is no
 * payout of the id, so that other calls cost the same.
 */
export function waitingRpc(deps: WaitingRpcDeps, rpc: PayoutRpc) {
  const { waiting, counts } = deps;
  const own = { ...deps, orders: waiting };
  const find = async (merchantId: string, id: string) => {
    const found = await findWaiting(waiting, id, merchantId);
    return found?.balance.preparing === true ? undefined : found;
  };
  const decided = async (message: GetPayoutRequest, decision: Promise<Decided>) => {
    orThrow(await decision);
    const found = orThrow((await find(message.merchantId, message.payoutId)) ?? noRecord);
    // A cancellation or approval may find the payout that was paid meanwhile.
    return found.state === "executed" ? rpc.getPayout(message) : answer(found);
  };
  return {
    getPayout: (message: GetPayoutRequest) =>
      orElse(rpc.getPayout(message), async () => {
        const found = await find(message.merchantId, message.payoutId);
        // The payout may have been created after it was looked up.
        if (found?.state === "executed") return rpc.getPayout(message);
        return found && answer(found);
      }),

    listPayouts: async (message: ListPayoutsRequest) => {
      const page = await rpc.listPayouts(message);
      if (message.merchantId === "") return page;
      const { hasWaited } = await counts.of(message.merchantId);
      return hasWaited ? withWaiting(waiting, message, page) : page;
    },

    listPayoutEvents: (message: ListPayoutEventsRequest) =>
      orElse(rpc.listPayoutEvents(message), async () => {
        const found = await find(message.merchantId, message.payoutId);
        if (found?.state === "executed") return rpc.listPayoutEvents(message);
        return found && eventPage(message, found);
      }),

    cancelPayout: (message: CancelPayoutRequest) =>
      orElse(rpc.cancelPayout(message), async () => {
        const { merchantId, payoutId: id } = message;
        if ((await find(merchantId, id)) === undefined) return undefined;
        return decided(toGet(message), cancelOrder(own, { id, merchantId }, by(message)));
      }),

    approvePayout: (message: ApprovePayoutRequest) =>
      orElse(rpc.approvePayout(message), async () => {
        const { merchantId, payoutId: id } = message;
        if ((await find(merchantId, id)) === undefined) return undefined;
        const approved = { id, merchantId, digest: cleanText(message.digest) };
        return decided(toGet(message), approveOrder(waiting, approved, by(message)));
      }),

    rejectPayout: (message: RejectPayoutRequest) =>
      orElse(rpc.rejectPayout(message), async () => {
        const { merchantId, payoutId: id } = message;
        if ((await find(merchantId, id)) === undefined) return undefined;
        const reason = cleanText(message.reason);
        const rejected = rejectOrder(waiting, { id, merchantId, reason }, by(message));
        return decided(toGet(message), rejected);
      }),
  };
}

type Decided = OrderDocument | Refused<PublicRefusal>;

const noRecord = refused("RECORD_NOT_FOUND");
const by = ({ mutation }: Pick<CancelPayoutRequest, "mutation">) => readMutation(mutation);
const toGet = ({ merchantId, payoutId }: Pick<GetPayoutRequest, "merchantId" | "payoutId">) =>
  ({ merchantId, payoutId }) as GetPayoutRequest;
const answer = (found: WaitingDocument): Answer => ({ payout: waitingMessage(found) });

/** Returns a call's answer or, if it found no payout, that of `other`. */
async function orElse<T>(call: Promise<T>, other: () => Promise<T | undefined>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (readRefusal(error)?.code !== "RECORD_NOT_FOUND") throw error;
    const found = await other();
    if (found === undefined) throw error;
    return found;
  }
}

async function eventPage(
  { limit, cursor }: ListPayoutEventsRequest,
  document: WaitingDocument,
): Promise<EventPage> {
  const numbered = waitingEvents(document).map((event, at) => ({ event, number: at + 1 }));
  const { shown, nextCursor } = await readPage(
    eventList,
    { limit, cursor },
    async ({ after, limit: most }) =>
      numbered.filter(({ number }) => number > Number(after?.id ?? 0)).slice(0, most),
    ({ number }) => ({ at: document.created_at, id: String(number) }),
  );
  return { events: shown.map(({ event }) => event), nextCursor, ...countedTotal(numbered.length) };
}

/** Executes a request, and returns the response with the terms of the wait. */
export async function acceptPayout(deps: QueueDeps, request: ExecuteRequest, queueing: Queueing) {
  const accepted = await executeOrWait(deps, request, queueing);
  if (isRefused(accepted) || accepted.waiting === undefined) return accepted;
  const { payoutId, waiting } = accepted;
  const { subStatus, expiresAt, maxSourceAmount } = waitingMessage(waiting);
  if (subStatus !== PayoutSubStatus.AWAITING_BALANCE) return { payoutId };
  return { payoutId, subStatus, ...(expiresAt && { expiresAt }), maxSourceAmount };
}
