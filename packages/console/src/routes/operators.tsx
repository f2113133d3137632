import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "./root.tsx";
import { allTexts, textsOf } from "./rules/search.ts";

const getParentRoute = () => shellRoute;

const alertFilters = textsOf("state", "assignee", "merchant_id", "record_id", "list", "score");

const alerts = createRoute({
  getParentRoute,
  path: "/compliance/alerts",
  validateSearch: alertFilters,
  component: lazyRouteComponent(() => import("../operators/compliance/alerts.tsx"), "Alerts"),
});

const alert = createRoute({
  getParentRoute,
  path: "/compliance/alerts/$alertId",
  validateSearch: alertFilters,
  component: lazyRouteComponent(() => import("../operators/compliance/alert.tsx"), "AlertPage"),
});

const screening = createRoute({
  getParentRoute,
  path: "/compliance/search",
  component: lazyRouteComponent(
    () => import("../operators/compliance/screening-search.tsx"),
    "ScreeningSearch",
  ),
});

const lists = createRoute({
  getParentRoute,
  path: "/compliance/lists",
  component: lazyRouteComponent(() => import("../operators/compliance/lists.tsx"), "Lists"),
});

const listChanges = createRoute({
  getParentRoute,
  path: "/compliance/lists/$importId",
  validateSearch: textsOf("base"),
  component: lazyRouteComponent(
    () => import("../operators/compliance/list-changes.tsx"),
    "ListChanges",
  ),
});

const balances = createRoute({
  getParentRoute,
  path: "/treasury/balances",
  validateSearch: textsOf("merchant_id"),
  component: lazyRouteComponent(
    () => import("../operators/treasury/balances.tsx"),
    "TreasuryBalances",
  ),
});

const payouts = createRoute({
  getParentRoute,
  path: "/treasury/payouts",
  validateSearch: textsOf("status", "merchant_id", "reference_id", "beneficiary_id", "batch_id"),
  component: lazyRouteComponent(
    () => import("../operators/treasury/payouts.tsx"),
    "TreasuryPayouts",
  ),
});

const payout = createRoute({
  getParentRoute,
  path: "/treasury/payouts/$payoutId",
  component: lazyRouteComponent(() => import("../operators/treasury/payout.tsx"), "TreasuryPayout"),
});

const exceptions = createRoute({
  getParentRoute,
  path: "/treasury/exceptions",
  component: lazyRouteComponent(() => import("../operators/treasury/exceptions.tsx"), "Exceptions"),
});

const approvals = createRoute({
  getParentRoute,
  path: "/approvals",
  validateSearch: textsOf("state"),
  component: lazyRouteComponent(() => import("../operators/treasury/approvals.tsx"), "Approvals"),
});

const approval = createRoute({
  getParentRoute,
  path: "/approvals/$place/$proposalId",
  component: lazyRouteComponent(() => import("../operators/treasury/approval.tsx"), "ApprovalPage"),
});

const corridors = createRoute({
  getParentRoute,
  path: "/treasury/corridors",
  component: lazyRouteComponent(() => import("../operators/treasury/corridors.tsx"), "Corridors"),
});

const corridor = createRoute({
  getParentRoute,
  path: "/treasury/corridors/$corridorId",
  validateSearch: textsOf("from", "to"),
  component: lazyRouteComponent(() => import("../operators/treasury/corridor.tsx"), "CorridorPage"),
});

const reconciliation = createRoute({
  getParentRoute,
  path: "/treasury/reconciliation",
  validateSearch: textsOf("account", "day"),
  component: lazyRouteComponent(
    () => import("../operators/treasury/reconciliation.tsx"),
    "Reconciliation",
  ),
});

const rails = createRoute({
  getParentRoute,
  path: "/treasury/rails",
  component: lazyRouteComponent(() => import("../operators/treasury/rails.tsx"), "Rails"),
});

const actions = createRoute({
  getParentRoute,
  path: "/actions",
  component: lazyRouteComponent(() => import("../operators/actions/actions.tsx"), "Actions"),
});

const action = createRoute({
  getParentRoute,
  path: "/actions/$action",
  validateSearch: allTexts,
  component: lazyRouteComponent(() => import("../operators/actions/action.tsx"), "ActionPage"),
});

const health = createRoute({
  getParentRoute,
  path: "/health",
  component: lazyRouteComponent(() => import("../operators/platform/health.tsx"), "HealthPage"),
});

const trace = createRoute({
  getParentRoute,
  path: "/trace",
  validateSearch: textsOf("request_id", "trace_id"),
  component: lazyRouteComponent(() => import("../operators/platform/trace.tsx"), "TracePage"),
});

export const operatorRoutes = [
  ...[alerts, alert, screening, lists, listChanges],
  ...[balances, payouts, payout, exceptions, approvals, approval],
  ...[corridors, corridor, reconciliation, rails],
  ...[actions, action, health, trace],
] as const;
