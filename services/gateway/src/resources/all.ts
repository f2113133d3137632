import { openApiDocument } from "../openapi/document.ts";
import { operationsOf, type Resource } from "../openapi/operation.ts";
import { accounts } from "./accounts.ts";
import { beneficiaries } from "./beneficiaries.ts";
import { beneficiaryForms } from "./beneficiary-forms.ts";
import { depositors } from "./depositors.ts";
import { payouts } from "./payouts.ts";
import { quotes } from "./quotes.ts";
import { webhookDeliveries } from "./webhook-deliveries.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";
import { webhookEvents } from "./webhook-events.ts";
import { webhookReplays } from "./webhook-replays.ts";
import { webhookComponents, webhookItems } from "./webhooks.ts";

/** In the order of the document. */
const resources: readonly Resource[] = [
  beneficiaries,
  beneficiaryForms,
  depositors,
  quotes,
  payouts,
  accounts,
  webhookEndpoints,
  webhookDeliveries,
  webhookReplays,
  webhookEvents,
];

/** Every public operation. */
export const operations = resources.flatMap(operationsOf);

/** The OpenAPI document of the public interface. */
export const reference = openApiDocument({
  operations,
  components: [...resources.flatMap((each) => each.components), ...webhookComponents],
  webhooks: webhookItems,
});
