import type { ServiceImpl } from "@connectrpc/connect";
import { currentOrigin } from "@disburse/chassis/call-context.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import { findCountedPage } from "@disburse/chassis/paging/page.ts";
import { readCreator } from "@disburse/chassis/rpc/creator.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import {
  ApproveScheduledPayoutRequestSchema,
  type PayoutOrderService,
  RejectScheduledPayoutRequestSchema,
  SchedulePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  approveScheduledPayout as approveForm,
  rejectScheduledPayout as rejectForm,
} from "@disburse/forms/bodies/approval.ts";
import { schedulePayout } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { newId } from "@disburse/kernel/id.ts";
import { invalidRequest, refused, unknownRecord } from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import { readAccount } from "@disburse/ledger/accounts.ts";
import { isReserved } from "../execution/rules/payable.ts";
import { approveOrder, type CancelOrderDeps, cancelOrder, rejectOrder } from "./decide.ts";
import { type OrderDocument, orderDocument } from "./document.ts";
import type { OrderDeps } from "./execute-order.ts";
import { giveBack, giveBackOf, reserve } from "./reservation.ts";
import { type OrderState, orderTerms, scheduledTime } from "./rules/order.ts";
import { findOrder, openStates } from "./store.ts";
import { scheduledMessages } from "./wire.ts";

export type ScheduledDeps = OrderDeps & CancelOrderDeps & { readonly mode: Mode };

export function scheduledRpc(deps: ScheduledDeps) {
  const { orders, payouts, clock, mode } = deps;
  const shown = async (document: OrderDocument) => ({
    scheduledPayout: (await scheduledMessages(payouts, [document]))[0],
  });
  return {
    schedulePayout: async (message) => {
      const { operationId } = readMutation(message.mutation);
      const actor = readCreator(message.mutation);
      const { merchantId, unreadable } = message;
      const now = clock.now();
      const context = { now, unreadable };
      const sent = orThrow(
        checkedMessage(schedulePayout, SchedulePayoutRequestSchema, message, context),
      );
      if (isReserved(mode, sent.referenceId)) {
        orThrow(refused("INVALID_REQUEST", "reference_id: is reserved for the sandbox"));
      }
      const before = await orders.findOne({ merchant_id: merchantId, operation_id: operationId });
      if (before !== null) return shown(await reservedIn(deps, before));
      const scheduledAt = orThrow(scheduledTime(parseMoment(sent.scheduledAt) ?? now, now));
      const terms = orderTerms(sent, await partiesOf(deps, merchantId, sent));
      if (Array.isArray(terms)) return orThrow(invalidRequest(terms));
      const document = orderDocument(terms, {
        id: newId("scheduledPayout", now),
        merchantId,
        operationId,
        actor,
        origin: currentOrigin(),
        place: { scheduledAt, reserve: sent.reserve },
        createdAt: now,
      });
      const operation = { merchant_id: merchantId, operation_id: operationId };
      const placed = await insertOrFind(orders, document, operation);
      return shown(await reservedIn(deps, placed));
    },

    cancelScheduledPayout: async ({ mutation, merchantId, scheduledPayoutId: id }) => {
      const by = readMutation(mutation);
      orThrow(await cancelOrder(deps, { id, merchantId }, by));
      await giveBackOf(deps, id);
      return shown(orThrow((await findOrder(orders, id)) ?? refused("RECORD_NOT_FOUND")));
    },

    approveScheduledPayout: async (message) => {
      const by = readMutation(message.mutation);
      const { merchantId, scheduledPayoutId: id, unreadable } = message;
      const context = { now: clock.now(), unreadable };
      const schema = ApproveScheduledPayoutRequestSchema;
      const { digest } = orThrow(checkedMessage(approveForm, schema, message, context));
      return shown(orThrow(await approveOrder(orders, { id, merchantId, digest }, by)));
    },

    rejectScheduledPayout: async (message) => {
      const by = readMutation(message.mutation);
      const { merchantId, unreadable } = message;
      const context = { now: clock.now(), unreadable };
      const schema = RejectScheduledPayoutRequestSchema;
      const sent = orThrow(checkedMessage(rejectForm, schema, message, context));
      const rejection = { id: message.scheduledPayoutId, merchantId, reason: sent.reason };
      const rejected = orThrow(await rejectOrder(orders, rejection, by));
      await giveBack(deps, rejected);
      return shown(rejected);
    },

    getScheduledPayout: async ({ merchantId, scheduledPayoutId: id }) => {
      const found = await findOrder(orders, id, { merchant_id: merchantId });
      return shown(orThrow(found ?? refused("RECORD_NOT_FOUND")));
    },

    listScheduledPayouts: async ({ merchantId, waiting, subStatus, ...page }) => {
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      const state = stateOf(subStatus) ?? (waiting ? { $in: [...openStates] } : undefined);
      const own = { merchant_id: merchantId, state: state ?? shownStates };
      const { shown: found, ...rest } = await findCountedPage(orders, own, page);
      return { scheduledPayouts: await scheduledMessages(payouts, found), ...rest };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

/** Reserves the money of an order that was ordered with it, unless that is done. */
async function reservedIn(deps: ScheduledDeps, document: OrderDocument): Promise<OrderDocument> {
  return document.state === "reserving" ? orThrow(await reserve(deps, document)) : document;
}

/** Excludes orders whose money is not reserved yet. */
const shownStates = { $ne: "reserving" as const };

/** The states of orders without a payout, by the sub-status that they show. */
const statesWithoutPayout: Partial<Record<PayoutSubStatus, OrderState["state"]>> = {
  [PayoutSubStatus.SCHEDULED]: "waiting",
  [PayoutSubStatus.AWAITING_APPROVAL]: "awaiting_approval",
  [PayoutSubStatus.REJECTED]: "failed",
  [PayoutSubStatus.CANCELLED]: "cancelled",
};

/** Returns the state that a sub-status filter selects; `undefined` matches any state. */
function stateOf(subStatus: PayoutSubStatus): OrderState["state"] | undefined {
  if (subStatus === PayoutSubStatus.UNSPECIFIED) return undefined;
  const problem = "sub_status: must be scheduled, awaiting_approval, rejected or cancelled";
  return orThrow(statesWithoutPayout[subStatus] ?? refused("INVALID_REQUEST", problem));
}

type Named = { readonly accountId: string; readonly beneficiaryId: string };

/**
 * Reads the currencies of a merchant's account and beneficiary. Refuses unknown accounts and
 * beneficiaries.
 */
async function partiesOf(
  { ledger, beneficiary: beneficiaries }: Pick<OrderDeps, "ledger" | "beneficiary">,
  merchantId: string,
  { accountId, beneficiaryId }: Named,
) {
  const account = await readAccount(ledger, merchantId, accountId);
  const { currency, closedAt } = orThrow(account ?? unknownRecord("account_id"));
  if (closedAt !== undefined) return orThrow(refused("SOURCE_ACCOUNT_CLOSED"));
  try {
    const status = await beneficiaries.getBeneficiaryStatus({ merchantId, beneficiaryId });
    if (status.archived)
      return orThrow(unknownRecord("beneficiary_id", "is not known: it is archived"));
    return { account: currency, beneficiary: status.destinationCurrency };
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") orThrow(unknownRecord("beneficiary_id"));
    throw error;
  }
}
