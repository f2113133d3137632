import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { useSession } from "../session/use-session.ts";
import { shellRoute } from "./root.tsx";
import { textsOf } from "./rules/search.ts";

const getParentRoute = () => shellRoute;

const MerchantHome = lazyRouteComponent(() => import("../merchant/home.tsx"), "Home");
const OperatorHome = lazyRouteComponent(() => import("../operators/home.tsx"), "OperatorHome");

const home = createRoute({
  getParentRoute,
  path: "/",
  // The page of the other kind of person is not loaded.
  loader: ({ context: { session } }) =>
    (session.kind === "operator" ? OperatorHome : MerchantHome).preload?.(),
  component: () => (useSession().kind === "operator" ? <OperatorHome /> : <MerchantHome />),
});

const entries = createRoute({
  getParentRoute,
  path: "/accounts/$accountId",
  validateSearch: textsOf("step", "payout_id", "created_from", "created_to"),
  component: lazyRouteComponent(() => import("../merchant/entries.tsx"), "Entries"),
});

const payouts = createRoute({
  getParentRoute,
  path: "/payouts",
  validateSearch: textsOf(
    ...["status", "sub_status", "reference_id", "beneficiary_id", "source_currency_code"],
    ...["destination_currency_code", "beneficiary_name", "amount_from", "amount_to"],
    ...["created_from", "created_to", "sort"],
  ),
  component: lazyRouteComponent(() => import("../merchant/payouts/payouts.tsx"), "Payouts"),
});

const approvals = createRoute({
  getParentRoute,
  path: "/payouts/waiting",
  component: lazyRouteComponent(() => import("../merchant/waiting.tsx"), "Approvals"),
});

const newPayout = createRoute({
  getParentRoute,
  path: "/payouts/new",
  validateSearch: textsOf("beneficiary"),
  component: lazyRouteComponent(() => import("../merchant/payouts/new-payout.tsx"), "NewPayout"),
});

const payout = createRoute({
  getParentRoute,
  path: "/payouts/$payoutId",
  component: lazyRouteComponent(() => import("../merchant/payouts/payout.tsx"), "PayoutPage"),
});

const beneficiaries = createRoute({
  getParentRoute,
  path: "/beneficiaries",
  validateSearch: textsOf(
    ...["screening_status", "beneficiary_type", "beneficiary_account_type"],
    ...["archived", "created_from", "created_to"],
  ),
  component: lazyRouteComponent(
    () => import("../merchant/beneficiaries/beneficiaries.tsx"),
    "Beneficiaries",
  ),
});

const newBeneficiary = createRoute({
  getParentRoute,
  path: "/beneficiaries/new",
  validateSearch: textsOf("for"),
  component: lazyRouteComponent(
    () => import("../merchant/beneficiaries/new-beneficiary.tsx"),
    "NewBeneficiary",
  ),
});

const beneficiaryLinks = createRoute({
  getParentRoute,
  path: "/beneficiaries/links",
  component: lazyRouteComponent(
    () => import("../merchant/beneficiaries/links.tsx"),
    "BeneficiaryLinks",
  ),
});

const beneficiary = createRoute({
  getParentRoute,
  path: "/beneficiaries/$beneficiaryId",
  component: lazyRouteComponent(
    () => import("../merchant/beneficiaries/beneficiary.tsx"),
    "BeneficiaryPage",
  ),
});

const depositors = createRoute({
  getParentRoute,
  path: "/depositors",
  validateSearch: textsOf("status", "depositor_type", "created_from", "created_to"),
  component: lazyRouteComponent(
    () => import("../merchant/depositors/depositors.tsx"),
    "Depositors",
  ),
});

const newDepositor = createRoute({
  getParentRoute,
  path: "/depositors/new",
  component: lazyRouteComponent(
    () => import("../merchant/depositors/new-depositor.tsx"),
    "NewDepositor",
  ),
});

const depositor = createRoute({
  getParentRoute,
  path: "/depositors/$depositorId",
  component: lazyRouteComponent(
    () => import("../merchant/depositors/depositor.tsx"),
    "DepositorPage",
  ),
});

const endpoints = createRoute({
  getParentRoute,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../merchant/webhooks/endpoints.tsx"), "Endpoints"),
});

const newEndpoint = createRoute({
  getParentRoute,
  path: "/webhooks/new",
  component: lazyRouteComponent(
    () => import("../merchant/webhooks/new-endpoint.tsx"),
    "NewEndpoint",
  ),
});

const endpoint = createRoute({
  getParentRoute,
  path: "/webhooks/$endpointId",
  component: lazyRouteComponent(() => import("../merchant/webhooks/endpoint.tsx"), "EndpointPage"),
});

const deliveries = createRoute({
  getParentRoute,
  path: "/deliveries",
  validateSearch: textsOf("state", "endpoint_id", "transaction_id"),
  component: lazyRouteComponent(() => import("../merchant/webhooks/deliveries.tsx"), "Deliveries"),
});

const delivery = createRoute({
  getParentRoute,
  path: "/deliveries/$deliveryId",
  component: lazyRouteComponent(() => import("../merchant/webhooks/delivery.tsx"), "DeliveryPage"),
});

const developers = createRoute({
  getParentRoute,
  path: "/developers",
  component: lazyRouteComponent(() => import("../merchant/developers.tsx"), "Developers"),
});

const requests = createRoute({
  getParentRoute,
  path: "/requests",
  validateSearch: textsOf("request_id", "status", "caller", "created_from", "created_to"),
  component: lazyRouteComponent(() => import("../merchant/requests.tsx"), "Requests"),
});

const scheduled = createRoute({
  getParentRoute,
  path: "/scheduled",
  validateSearch: textsOf("sub_status"),
  component: lazyRouteComponent(
    () => import("../merchant/payouts/scheduled.tsx"),
    "ScheduledPayouts",
  ),
});

const members = createRoute({
  getParentRoute,
  path: "/team",
  component: lazyRouteComponent(() => import("../merchant/team/members.tsx"), "Members"),
});

const settings = createRoute({
  getParentRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("../merchant/settings/settings.tsx"), "Settings"),
});

const invitations = createRoute({
  getParentRoute,
  path: "/invitations",
  component: lazyRouteComponent(() => import("../merchant/team/invitations.tsx"), "Invitations"),
});

const notifications = createRoute({
  getParentRoute,
  path: "/notifications",
  component: lazyRouteComponent(
    () => import("../merchant/team/notifications.tsx"),
    "Notifications",
  ),
});

const keys = createRoute({
  getParentRoute,
  path: "/keys",
  component: lazyRouteComponent(() => import("../merchant/team/keys.tsx"), "Keys"),
});

const batches = createRoute({
  getParentRoute,
  path: "/batches",
  validateSearch: textsOf("state"),
  component: lazyRouteComponent(() => import("../merchant/batches/batches.tsx"), "Batches"),
});

const newBatch = createRoute({
  getParentRoute,
  path: "/batches/new",
  validateSearch: textsOf("corrects"),
  component: lazyRouteComponent(() => import("../merchant/batches/new-batch.tsx"), "NewBatch"),
});

const batch = createRoute({
  getParentRoute,
  path: "/batches/$batchId",
  component: lazyRouteComponent(() => import("../merchant/batches/batch.tsx"), "BatchPage"),
});

export const merchantRoutes = [
  ...[home, entries, payouts, approvals, newPayout, payout, scheduled],
  ...[batches, newBatch, batch],
  ...[beneficiaries, newBeneficiary, beneficiaryLinks, beneficiary],
  ...[depositors, newDepositor, depositor],
  ...[endpoints, newEndpoint, endpoint, deliveries, delivery, developers, requests],
  ...[members, settings, invitations, notifications, keys],
] as const;
