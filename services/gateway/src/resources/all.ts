import type { Mode } from "../keys/rules/key.ts";
import { openApiDocument } from "../openapi/document.ts";
import { type Operation, operationsOf, type Resource } from "../openapi/operation.ts";
import { accounts } from "./accounts.ts";
import { batches } from "./batches.ts";
import { beneficiaries } from "./beneficiaries.ts";
import { beneficiaryForms } from "./beneficiary-forms.ts";
import { depositors } from "./depositors.ts";
import { apiKeys } from "./keys.ts";
import { beneficiaryLinks } from "./parts/beneficiary-links.ts";
import { requests } from "./parts/requests.ts";
import { sandbox } from "./parts/sandbox.ts";
import { payouts } from "./payouts.ts";
import { quotes } from "./quotes.ts";
import { scheduledPayouts } from "./scheduled-payouts.ts";
import { receipts } from "./statements.ts";
import { team } from "./team.ts";
import { webhookDeliveries } from "./webhook-deliveries.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";
import { webhookEvents } from "./webhook-events.ts";
import { webhookReplays } from "./webhook-replays.ts";
import { webhookComponents, webhookItems } from "./webhooks.ts";

/** In the order of the document. */
const resources: readonly Resource[] = [
  beneficiaries,
  beneficiaryForms,
  beneficiaryLinks,
  depositors,
  quotes,
  payouts,
  receipts,
  scheduledPayouts,
  batches,
  accounts,
  webhookEndpoints,
  webhookDeliveries,
  webhookReplays,
  webhookEvents,
  requests,
  team,
  apiKeys,
  sandbox,
];

/** Every public operation. */
export const operations = resources.flatMap(operationsOf);

/** The public operations of a mode: live, none of a sandbox. */
export const operationsIn = (mode: Mode): readonly Operation[] =>
  mode === "sandbox" ? operations : operations.filter(({ tag }) => tag !== sandbox.tag);

/** The OpenAPI document of the public interface of a mode. */
export const referenceIn = (mode: Mode) =>
  openApiDocument({
    operations: operationsIn(mode),
    components: [...resources.flatMap((each) => each.components), ...webhookComponents],
    webhooks: webhookItems,
  });
