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

/** The merchant's accounts. */
export const accounts: ListOf<Account> = { path: `${transfer}/accounts`, items: "accounts" };

/** The merchant's payouts, newest first. */
export const payouts: ListOf<PayoutItem> = { path: `${transfer}/payouts`, items: "transactions" };

/** Payouts that are ordered and made at a time. */
export const scheduledPayouts: ListOf<ScheduledPayout> = {
  path: `${transfer}/scheduled-payouts`,
  items: "scheduled_payouts",
};

/** Payouts by the file. */
export const batches: ListOf<Batch> = { path: `${transfer}/batches`, items: "batches" };

/** The lines of a batch, in their order. */
export const linesOf = (batchId: string): ListOf<BatchLine> => {
  return { path: `${transfer}/batches/${encodeURIComponent(batchId)}/lines`, items: "lines" };
};

/** Whom the merchant pays. */
export const beneficiaries: ListOf<Beneficiary> = {
  path: `${transfer}/beneficiaries`,
  items: "beneficiaries",
};

/** Links by which beneficiaries enter their own details. */
export const beneficiaryLinks: ListOf<BeneficiaryLink> = {
  path: "/api/v1/beneficiary-links",
  items: "links",
};

/** Who funds the merchant's accounts. */
export const depositors: ListOf<Depositor> = { path: "/api/v1/depositors", items: "depositors" };

/** What this merchant can send. */
export const corridors: ListOf<Corridor> = { path: `${transfer}/corridors`, items: "corridors" };

/** Where events are sent. */
export const endpoints: ListOf<WebhookEndpointWithHealth> = {
  path: `${webhooks}/endpoints`,
  items: "endpoints",
};

/** Many deliveries sent once more. */
export const replays: ListOf<WebhookReplay> = { path: `${webhooks}/replays`, items: "replays" };

/** What was or is to be sent. */
export const deliveries: ListOf<WebhookDelivery> = {
  path: `${webhooks}/deliveries`,
  items: "deliveries",
};

/** What the merchant's programs and people asked of the interface in the last days. */
export const requests: ListOf<LoggedRequest> = { path: "/api/v1/requests", items: "requests" };

/** The steps of a payout that its merchant sees, oldest first. */
export const eventsOf = (payoutId: string): ListOf<PayoutEvent> => {
  return { path: `${transfer}/payouts/${encodeURIComponent(payoutId)}/events`, items: "events" };
};

/** The statement of an account, newest first. */
export const entriesOf = (accountId: string): ListOf<LedgerEntry> => {
  return {
    path: `${transfer}/accounts/${encodeURIComponent(accountId)}/entries`,
    items: "entries",
  };
};
