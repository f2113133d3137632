import type { Clients } from "../clients.ts";
import { accountOperations } from "./accounts.ts";
import { beneficiaryOperations } from "./beneficiaries.ts";
import { beneficiaryFormOperations } from "./beneficiary-forms.ts";
import { depositorOperations } from "./depositors.ts";
import type { Operation } from "./operation.ts";
import { payoutOperations } from "./payouts.ts";
import { quoteOperations } from "./quotes.ts";
import { webhookDeliveryOperations } from "./webhook-deliveries.ts";
import { webhookEndpointOperations } from "./webhook-endpoints.ts";
import { webhookEventOperations } from "./webhook-events.ts";
import { webhookReplayOperations } from "./webhook-replays.ts";

/** Every public operation. */
export function allOperations(clients: Clients): readonly Operation[] {
  return [
    ...beneficiaryOperations(clients),
    ...beneficiaryFormOperations(clients),
    ...depositorOperations(clients),
    ...quoteOperations(clients),
    ...payoutOperations(clients),
    ...accountOperations(clients),
    ...webhookEndpointOperations(clients),
    ...webhookDeliveryOperations(clients),
    ...webhookReplayOperations(clients),
    ...webhookEventOperations(clients),
  ];
}
