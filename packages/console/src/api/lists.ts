import type {
  Account,
  Batch,
  BatchLine,
  Beneficiary,
  BeneficiaryLink,
  Corridor,
  Depositor,
  LedgerEntry,
  LoggedRequest,
  PayoutEvent,
  PayoutItem,
  ScheduledPayout,
  WebhookDelivery,
  WebhookEndpointWithHealth,
  WebhookReplay,
} from "@disburse/sdk/gen/types.ts";
import type { ListOf } from "./pages.ts";

const transfer = "/api/v1/transfer";
const webhooks = "/api/v1/webhooks";

export const rulesPath = "/api/v1/approval-rules";
export const rulesProposalsPath = `${rulesPath}/proposals`;
export const profilePath = "/api/v1/merchant";

export const accounts: ListOf<Account> = { path: `${transfer}/accounts`, items: "accounts" };

export const activityOf = (accountId: string) =>
  `${accounts.path}/${encodeURIComponent(accountId)}/activity`;
export const webhookActivity = `${webhooks}/activity`;

export const payouts: ListOf<PayoutItem> = { path: `${transfer}/payouts`, items: "transactions" };

export const scheduledPayouts: ListOf<ScheduledPayout> = {
  path: `${transfer}/scheduled-payouts`,
  items: "scheduled_payouts",
};

export const batches: ListOf<Batch> = { path: `${transfer}/batches`, items: "batches" };

export const linesOf = (batchId: string): ListOf<BatchLine> => {
  return { path: `${transfer}/batches/${encodeURIComponent(batchId)}/lines`, items: "lines" };
};

export const beneficiaries: ListOf<Beneficiary> = {
  path: `${transfer}/beneficiaries`,
  items: "beneficiaries",
};

export const beneficiaryForms = `${transfer}/beneficiary-forms`;

export const beneficiaryLinks: ListOf<BeneficiaryLink> = {
  path: "/api/v1/beneficiary-links",
  items: "links",
};

export const depositors: ListOf<Depositor> = { path: "/api/v1/depositors", items: "depositors" };

export const depositor = "/api/v1/depositor";

export const corridors: ListOf<Corridor> = { path: `${transfer}/corridors`, items: "corridors" };

export const endpoints: ListOf<WebhookEndpointWithHealth> = {
  path: `${webhooks}/endpoints`,
  items: "endpoints",
};

export const replays: ListOf<WebhookReplay> = { path: `${webhooks}/replays`, items: "replays" };

export const deliveries: ListOf<WebhookDelivery> = {
  path: `${webhooks}/deliveries`,
  items: "deliveries",
};

export const requests: ListOf<LoggedRequest> = { path: "/api/v1/requests", items: "requests" };

export const eventsOf = (payoutId: string): ListOf<PayoutEvent> => {
  return { path: `${transfer}/payouts/${encodeURIComponent(payoutId)}/events`, items: "events" };
};

export const entriesOf = (accountId: string): ListOf<LedgerEntry> => {
  return {
    path: `${transfer}/accounts/${encodeURIComponent(accountId)}/entries`,
    items: "entries",
  };
};
