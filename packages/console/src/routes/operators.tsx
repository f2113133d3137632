import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { page } from "./page.ts";
import { shellRoute } from "./root.tsx";
import { allTexts } from "./rules/search.ts";

const { pages } = t.shell;
const alertFilters = ["state", "assignee", "merchant_id", "record_id", "list", "score"] as const;

const payoutFilters = [
  ...["status", "sub_status", "source_currency_code", "destination_currency_code"],
  ...["merchant_id", "reference_id", "beneficiary_id", "batch_id"],
  ...["created_from", "created_to", "sort"],
] as const;

const action = createRoute({
  getParentRoute: () => shellRoute,
  path: "/actions/$action",
  staticData: { title: pages.action },
  // The parameters are the first values of the action's form.
  validateSearch: allTexts,
  component: lazyRouteComponent(() => import("../operators/actions/action.tsx"), "ActionPage"),
});

export const operatorRoutes = [
  page("/compliance/alerts", pages.alerts, alertFilters, {
    Alerts: () => import("../operators/compliance/alerts.tsx"),
  }),
  page("/compliance/alerts/$alertId", pages.alert, alertFilters, {
    AlertPage: () => import("../operators/compliance/alert.tsx"),
  }),
  page("/compliance/search", pages.search, [], {
    ScreeningSearch: () => import("../operators/compliance/screening-search.tsx"),
  }),
  page("/compliance/lists", pages.lists, [], {
    Lists: () => import("../operators/compliance/lists.tsx"),
  }),
  page("/compliance/lists/$importId", pages.lists, ["base"], {
    ListChanges: () => import("../operators/compliance/list-changes.tsx"),
  }),
  page("/treasury/balances", pages.balances, ["merchant_id"], {
    TreasuryBalances: () => import("../operators/treasury/balances.tsx"),
  }),
  page("/treasury/payouts", pages.allPayouts, payoutFilters, {
    TreasuryPayouts: () => import("../operators/treasury/payouts.tsx"),
  }),
  page("/treasury/payouts/$payoutId", pages.payout, [], {
    TreasuryPayout: () => import("../operators/treasury/payout.tsx"),
  }),
  page("/treasury/exceptions", pages.exceptions, [], {
    Exceptions: () => import("../operators/treasury/exceptions.tsx"),
  }),
  page("/approvals", pages.waiting, ["state"], {
    Approvals: () => import("../operators/treasury/approvals.tsx"),
  }),
  page("/approvals/$place/$proposalId", pages.approval, [], {
    ApprovalPage: () => import("../operators/treasury/approval.tsx"),
  }),
  page("/treasury/corridors", pages.corridors, [], {
    Corridors: () => import("../operators/treasury/corridors.tsx"),
  }),
  page("/treasury/corridors/$corridorId", pages.corridor, ["from", "to"], {
    CorridorPage: () => import("../operators/treasury/corridor.tsx"),
  }),
  page("/treasury/reconciliation", pages.reconciliation, ["account", "day"], {
    Reconciliation: () => import("../operators/treasury/reconciliation.tsx"),
  }),
  page("/treasury/rails", pages.rails, [], {
    Rails: () => import("../operators/treasury/rails.tsx"),
  }),
  page("/actions", pages.actions, [], {
    Actions: () => import("../operators/actions/actions.tsx"),
  }),
  action,
  page("/health", pages.health, [], {
    HealthPage: () => import("../operators/platform/health.tsx"),
  }),
  page("/trace", pages.trace, ["request_id", "trace_id"], {
    TracePage: () => import("../operators/platform/trace.tsx"),
  }),
] as const;
