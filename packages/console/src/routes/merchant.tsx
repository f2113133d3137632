import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { useSession } from "../session/use-session.ts";
import { page } from "./page.ts";
import { shellRoute } from "./root.tsx";

const { pages } = t.shell;
const days = ["created_from", "created_to"] as const;
const payoutFilters = [
  ...["status", "sub_status", "reference_id", "beneficiary_id", "beneficiary_name"],
  ...["source_currency_code", "destination_currency_code", "amount_from", "amount_to"],
  ...[...days, "sort"],
] as const;
const partyFilters = [
  "screening_status",
  "beneficiary_type",
  "beneficiary_account_type",
  "archived",
] as const;

const MerchantHome = lazyRouteComponent(() => import("../merchant/home.tsx"), "Home");
const OperatorHome = lazyRouteComponent(() => import("../operators/home.tsx"), "OperatorHome");

const home = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  staticData: { title: pages.home },
  // The page of the other kind of person is not loaded.
  loader: ({ context: { session } }) =>
    (session.kind === "operator" ? OperatorHome : MerchantHome).preload?.(),
  component: () => (useSession().kind === "operator" ? <OperatorHome /> : <MerchantHome />),
});

export const merchantRoutes = [
  home,
  page("/accounts/$accountId", pages.entries, ["step", "payout_id", ...days], {
    Entries: () => import("../merchant/entries.tsx"),
  }),
  page("/payouts", pages.payouts, payoutFilters, {
    Payouts: () => import("../merchant/payouts/payouts.tsx"),
  }),
  page("/payouts/waiting", pages.approvals, [], {
    Approvals: () => import("../merchant/waiting.tsx"),
  }),
  page("/payouts/new", pages.newPayout, ["beneficiary"], {
    NewPayout: () => import("../merchant/payouts/new-payout.tsx"),
  }),
  page("/payouts/$payoutId", pages.payout, [], {
    PayoutPage: () => import("../merchant/payouts/payout.tsx"),
  }),
  page("/beneficiaries", pages.beneficiaries, [...partyFilters, ...days], {
    Beneficiaries: () => import("../merchant/beneficiaries/beneficiaries.tsx"),
  }),
  page("/beneficiaries/new", pages.newBeneficiary, ["for"], {
    NewBeneficiary: () => import("../merchant/beneficiaries/new-beneficiary.tsx"),
  }),
  page("/beneficiaries/links", pages.beneficiaryLinks, [], {
    BeneficiaryLinks: () => import("../merchant/beneficiaries/links.tsx"),
  }),
  page("/beneficiaries/$beneficiaryId", pages.beneficiary, [], {
    BeneficiaryPage: () => import("../merchant/beneficiaries/beneficiary.tsx"),
  }),
  page("/depositors", pages.depositors, ["status", "depositor_type", ...days], {
    Depositors: () => import("../merchant/depositors/depositors.tsx"),
  }),
  page("/depositors/new", pages.newDepositor, [], {
    NewDepositor: () => import("../merchant/depositors/new-depositor.tsx"),
  }),
  page("/depositors/$depositorId", pages.depositor, [], {
    DepositorPage: () => import("../merchant/depositors/depositor.tsx"),
  }),
  page("/webhooks", pages.webhooks, [], {
    Endpoints: () => import("../merchant/webhooks/endpoints.tsx"),
  }),
  page("/webhooks/new", pages.newEndpoint, [], {
    NewEndpoint: () => import("../merchant/webhooks/new-endpoint.tsx"),
  }),
  page("/webhooks/$endpointId", pages.endpoint, [], {
    EndpointPage: () => import("../merchant/webhooks/endpoint.tsx"),
  }),
  page("/deliveries", pages.deliveries, ["state", "endpoint_id", "transaction_id"], {
    Deliveries: () => import("../merchant/webhooks/deliveries.tsx"),
  }),
  page("/deliveries/$deliveryId", pages.delivery, [], {
    DeliveryPage: () => import("../merchant/webhooks/delivery.tsx"),
  }),
  page("/developers", pages.developers, [], {
    Developers: () => import("../merchant/developers.tsx"),
  }),
  page("/requests", pages.requests, ["request_id", "status", "caller", ...days], {
    Requests: () => import("../merchant/requests.tsx"),
  }),
  page("/scheduled", pages.scheduled, ["sub_status"], {
    ScheduledPayouts: () => import("../merchant/payouts/scheduled.tsx"),
  }),
  page("/team", pages.team, [], { Members: () => import("../merchant/team/members.tsx") }),
  page("/settings", pages.settings, [], {
    Settings: () => import("../merchant/settings/settings.tsx"),
  }),
  page("/invitations", pages.invitations, [], {
    Invitations: () => import("../merchant/team/invitations.tsx"),
  }),
  page("/notifications", pages.notifications, [], {
    Notifications: () => import("../merchant/team/notifications.tsx"),
  }),
  page("/keys", pages.keys, [], { Keys: () => import("../merchant/team/keys.tsx") }),
  page("/batches", pages.batches, ["state"], {
    Batches: () => import("../merchant/batches/batches.tsx"),
  }),
  page("/batches/new", pages.newBatch, ["corrects"], {
    NewBatch: () => import("../merchant/batches/new-batch.tsx"),
  }),
  page("/batches/$batchId", pages.batch, [], {
    BatchPage: () => import("../merchant/batches/batch.tsx"),
  }),
] as const;
