import type {
  Account,
  ApiKey,
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
  RulesProposal,
  ScheduledPayout,
  TeamMember,
  WebhookDelivery,
  WebhookEndpointWithHealth,
  WebhookReplay,
} from "@disburse/sdk/gen/types.ts";
import { type ListOf, pathOf } from "./pages.ts";

const transfer = "/api/v1/transfer";
const webhooks = "/api/v1/webhooks";
const listOf = <T>(path: string, items: string): ListOf<T> => ({ path, items });

export const rulesPath = "/api/v1/approval-rules";
export const profilePath = "/api/v1/merchant";

export const accounts = listOf<Account>(`${transfer}/accounts`, "accounts");
export const payouts = listOf<PayoutItem>(`${transfer}/payouts`, "transactions");
export const scheduledPayouts = listOf<ScheduledPayout>(
  `${transfer}/scheduled-payouts`,
  "scheduled_payouts",
);
export const batches = listOf<Batch>(`${transfer}/batches`, "batches");
export const beneficiaries = listOf<Beneficiary>(`${transfer}/beneficiaries`, "beneficiaries");
export const beneficiaryForms = `${transfer}/beneficiary-forms`;
export const beneficiaryLinks = listOf<BeneficiaryLink>("/api/v1/beneficiary-links", "links");
export const depositors = listOf<Depositor>("/api/v1/depositors", "depositors");
export const depositor = "/api/v1/depositor";
export const corridors = listOf<Corridor>(`${transfer}/corridors`, "corridors");
export const endpoints = listOf<WebhookEndpointWithHealth>(`${webhooks}/endpoints`, "endpoints");
export const replays = listOf<WebhookReplay>(`${webhooks}/replays`, "replays");
export const deliveries = listOf<WebhookDelivery>(`${webhooks}/deliveries`, "deliveries");
export const rulesProposals = listOf<RulesProposal>(`${rulesPath}/proposals`, "proposals");
export const apiKeys = listOf<ApiKey>("/api/v1/keys", "keys");
export const members = listOf<TeamMember>("/api/v1/team/members", "members");
export const requests = listOf<LoggedRequest>("/api/v1/requests", "requests");

export const linesOf = (batchId: string) =>
  listOf<BatchLine>(pathOf(batches, batchId, "/lines"), "lines");
export const eventsOf = (payoutId: string) =>
  listOf<PayoutEvent>(pathOf(payouts, payoutId, "/events"), "events");
export const entriesOf = (accountId: string) =>
  listOf<LedgerEntry>(pathOf(accounts, accountId, "/entries"), "entries");

export const activityOf = (accountId: string) => pathOf(accounts, accountId, "/activity");
export const webhookActivity = `${webhooks}/activity`;
