import {
  ListRequestsRequestSchema,
  ListRequestsResponseSchema,
  LoggedRequestSchema,
  RequestCaller,
  RequestStatus,
} from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import type { Mode } from "../keys/rules/key.ts";
import { openApiDocument } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get, type Resource, type Route, routesOf } from "../openapi/route.ts";
import { accounts } from "./accounts.ts";
import { approvalRules } from "./approval-rules.ts";
import { batches } from "./batches.ts";
import { beneficiaries } from "./beneficiaries.ts";
import { beneficiaryForms } from "./beneficiary-forms.ts";
import { depositors } from "./depositors.ts";
import { apiKeys } from "./keys.ts";
import { merchant } from "./merchant.ts";
import { createdBy } from "./parts/actor.ts";
import { beneficiaryLinks } from "./parts/beneficiary-links.ts";
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

const request = f.record(LoggedRequestSchema, "LoggedRequest", "A request that you made.", {
  id: f.text("Id within the list.", "rlg_01hqz0000000000000000000ab_000"),
  request_id: f.text("`X-Request-Id` of the response.", "4f0c2f6e-6c2b-4c1e-9f6a-0b6f4b1d7a11"),
  created_at: f.moment("When the response ended."),
  method: f.text("HTTP method.", "POST"),
  route: f.text("Path, with names in place of ids.", "/api/v1/transfer/execute"),
  status: f.word(
    RequestStatus,
    "`failed`: a response of 4xx or 5xx, or none because the connection closed first.",
  ),
  http_status: f.whole("HTTP status; 0 if the connection closed first.", 200),
  code: f.text("`code` of the error; empty otherwise.", ""),
  duration_ms: f.whole("Duration in milliseconds.", 42),
  ...createdBy,
  record_id: f.text(
    "Id of the record that it was about; empty for lists.",
    "po_01hqz0000000000000000000ab",
  ),
});

const requestPage = f.pageOf(ListRequestsResponseSchema, "LoggedRequestPage", "requests", request);

/** A merchant's recent requests to the public routes. */
const requests: Resource = {
  scope: "webhook",
  tag: "Requests",
  components: [request, requestPage],
  routes: [
    get("listRequests", "/api/v1/requests", {
      summary: "List requests",
      description:
        "Your requests of the last 7 days, newest first: those of your API keys, unless `caller` or `request_id` says otherwise. No query, body or header is kept. A request is listed a few seconds after its response, and requests without a valid key are not listed. It is a log for debugging: in a crash, or above 250 requests a second, some may be missing.",
      query: q.queryOf(ListRequestsRequestSchema, {
        ...q.page,
        request_id: q.token("Only requests with this `X-Request-Id`, by whomever."),
        status: q.word(RequestStatus, "Only requests that succeeded, or that failed."),
        caller: q.word(RequestCaller, "Only requests of API keys, or of team members."),
        ...q.created,
      }),
      data: requestPage,
      answer: ({ request: rpcRequest }, { requests }) => requests.listRequests(rpcRequest),
    }),
  ],
};

/** Resources in the order of the OpenAPI document. */
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
  approvalRules,
  merchant,
  team,
  apiKeys,
  sandbox,
];

export const routes = resources.flatMap(routesOf);

/** Returns the public routes of a mode. Live mode has no sandbox routes. */
export const routesIn = (mode: Mode): readonly Route[] =>
  mode === "sandbox" ? routes : routes.filter(({ tag }) => tag !== sandbox.tag);

export const referenceIn = (mode: Mode) =>
  openApiDocument({
    routes: routesIn(mode),
    components: [...resources.flatMap((each) => each.components), ...webhookComponents],
    webhooks: webhookItems,
  });
