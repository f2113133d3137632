import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { publishedEvent } from "./intake.ts";
import { type EventDeps, eventRpc } from "./rpc.ts";
import { publishedEventViolations } from "./rules/event.ts";

type EventRpc = ReturnType<typeof eventRpc>;

/** The RPCs of events, guarded where there are persons. */
export function guardedEvents(deps: EventDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = eventRpc(deps);
  return approvals?.guard(NotifierService, rpc, eventGuards) ?? rpc;
}

/**
 * A webhook says to a merchant that money has come or gone, so no person sends one alone. Events of
 * a system of the operator's come from a service, which is not guarded.
 */
const eventGuards: Guards<Pick<EventRpc, "publishEvent">> = {
  publishEvent: {
    approvers: ["admin"],
    difference: async ({ event }) => ({
      before: "",
      after: JSON.stringify({
        merchant_id: event?.merchantId,
        transaction_type: event?.transactionType,
        transaction_id: event?.transactionId,
        status: event?.status,
        data_json: event?.dataJson,
      }),
    }),
    // The RPC itself refuses a malformed request.
    reasons: async ({ event }) =>
      event === undefined || publishedEventViolations(publishedEvent(event)).length > 0
        ? []
        : ["a person publishes an event to a merchant"],
  },
};
