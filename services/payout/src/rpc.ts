import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import type { PayoutCounts } from "@disburse/ledger/accounts.ts";
import type { RailRpc } from "@disburse/rail/rail-package.ts";
import { activityRpc } from "./accounts/activity.ts";
import { guardedAccounts, type MoneyApprovals } from "./accounts/approvals.ts";
import { guardedTopUp } from "./accounts/top-up.ts";
import { approvalsRpc } from "./approvals/rpc.ts";
import { type BatchRpcDeps, batchesRpc } from "./batches/rpc.ts";
import { guardedOwnRules } from "./controls/own-rules.ts";
import { type ControlsDeps, guardedControls, ownControlsRpc } from "./controls/rpc.ts";
import { executionRpc } from "./execution/rpc.ts";
import { type ScheduledDeps, scheduledRpc } from "./orders/rpc.ts";
import { heldPayoutsRpc } from "./payouts/held-payouts.ts";
import { joinedPublished, publishedPayouts } from "./payouts/published.ts";
import { payoutsRpc, publishedRpc } from "./payouts/rpc.ts";
import type { RailReportDeps } from "./rails/reports.ts";
import { cancelRpc, destinationsRpc, railsRpc, reportRpc } from "./rails/rpc.ts";
import { reissuesRpc } from "./reissues/rpc.ts";
import { type GuardedResolutionDeps, guardedResolutions } from "./resolutions/rpc.ts";
import { revocationsRpc } from "./revocations/rpc.ts";
import { type SandboxDeps, sandboxPayoutsRpc } from "./sandbox/rpc.ts";
import { type SearchDeps, searchRpc } from "./search/rpc.ts";
import { guardedTreasury, type TreasuryDeps } from "./treasury/rpc.ts";
import { guardedVelocity, type VelocityDeps } from "./velocity/rpc.ts";
import { publishedWaits } from "./waiting/events.ts";
import type { QueueDeps } from "./waiting/queue.ts";
import { acceptPayout, type WaitingRpcDeps, waitingRpc } from "./waiting/rpc.ts";

/** Creates the RPCs for the gateway and other services (proto/disburse/payout/v1/payout.proto). */
export function payoutRpc(
  deps: QueueDeps &
    RailReportDeps &
    PayoutRpcDeps &
    WaitingRpcDeps &
    Parameters<typeof guardedOwnRules>[0],
): Partial<ServiceImpl<typeof PayoutService>> {
  const ofPayouts = {
    ...payoutsRpc(deps.payouts, deps.counts),
    ...cancelRpc(deps),
    ...approvalsRpc(deps),
  };
  const rpc = {
    ...guardedAccounts(deps, deps.approvals),
    ...activityRpc(deps),
    ...guardedTopUp(deps),
    ...guardedOwnRules(deps),
    ...executionRpc({
      ...deps,
      execute: (request, sent) => acceptPayout(deps, request, sent),
    }),
    ...waitingRpc(deps, ofPayouts),
    ...destinationsRpc(deps),
    ...reissuesRpc(deps),
    // In live mode this RPC is absent. Only a rail's signed callback reports an outcome there, so
    // that no caller alone can settle a payout.
    ...(deps.mode === "sandbox" && reportRpc(deps)),
  };
  const decisions = ["approvePayout", "rejectPayout", "setApprovalRules"] as const;
  return bindOperations(PayoutService, rpc, deps.bindings, { own: ["executePayout"], decisions });
}

type PayoutRpcDeps = Parameters<typeof approvalsRpc>[0] & {
  readonly approvals?: MoneyApprovals | undefined;
  readonly counts: PayoutCounts;
  readonly mode: Mode;
  readonly bindings: OperationBindings;
};

/** Creates the RPCs of scheduled payouts (orders.proto). */
export function orderRpc(
  deps: ScheduledDeps &
    BatchRpcDeps &
    Pick<QueueDeps, "waiting"> & { readonly bindings: OperationBindings },
): ServiceImpl<typeof PayoutOrderService> {
  const rpc = { ...scheduledRpc(deps), ...batchesRpc(deps), ...revocationsRpc(deps) };
  const decisions = [
    "approveBatch",
    "rejectBatch",
    "approveScheduledPayout",
    "rejectScheduledPayout",
    "stopOrders",
  ] as const;
  return bindOperations(PayoutOrderService, rpc, deps.bindings, { decisions });
}

/** Creates the RPCs of a sandbox (payout_sandbox.proto). */
export function sandboxRpc(
  deps: SandboxDeps & ControlsDeps & { readonly bindings: OperationBindings },
): ServiceImpl<typeof PayoutSandboxService> {
  const rpc = { ...sandboxPayoutsRpc(deps), ...ownControlsRpc(deps) };
  return bindOperations(PayoutSandboxService, rpc, deps.bindings);
}

/** Creates the RPCs for operators, rails and subscribers (payout_operator.proto). */
export function operatorRpc(
  deps: GuardedResolutionDeps &
    Parameters<typeof railsRpc>[0] &
    VelocityDeps &
    ControlsDeps &
    TreasuryDeps &
    SearchDeps & {
      readonly bindings: OperationBindings;
      readonly treasuryApprovals?: MoneyApprovals | undefined;
      readonly railRpc?: RailRpc | undefined;
    },
): RailRpc {
  const rpc = {
    ...deps.railRpc,
    ...guardedResolutions(deps),
    ...railsRpc(deps),
    ...guardedVelocity(deps, deps.treasuryApprovals),
    ...guardedControls(deps, deps.treasuryApprovals),
    ...guardedTreasury(deps, deps.treasuryApprovals),
    ...heldPayoutsRpc(deps),
    ...searchRpc(deps),
    ...publishedRpc(
      joinedPublished([publishedPayouts(deps.payouts), publishedWaits(deps.waiting)]),
    ),
  };
  // Reads that are audited: sent events, the banks' proposals, and a search of all merchants.
  const noted = ["republishPayoutEvents", "getBankFinding", "findRecords"] as const;
  return bindOperations(PayoutOperatorService, rpc, deps.bindings, { noted });
}

/**
 * Returns the services of a process with their handlers. The sandbox's service is absent in live
 * mode.
 */
export function servedRpcs(handlers: {
  readonly rpc: Partial<ServiceImpl<typeof PayoutService>>;
  readonly orders: ServiceImpl<typeof PayoutOrderService>;
  readonly operations: RailRpc;
  readonly statements: ServiceImpl<typeof StatementService>;
  readonly approvals: ServiceApprovals["rpc"];
  readonly sandbox: ServiceImpl<typeof PayoutSandboxService> | undefined;
}) {
  const { sandbox } = handlers;
  return {
    services: [
      PayoutService,
      PayoutOrderService,
      PayoutOperatorService,
      StatementService,
      ApprovalService,
      ...(sandbox === undefined ? [] : [PayoutSandboxService]),
    ],
    routes: (router: ConnectRouter) => {
      router.service(PayoutService, handlers.rpc);
      router.service(PayoutOrderService, handlers.orders);
      router.service(PayoutOperatorService, handlers.operations);
      router.service(StatementService, handlers.statements);
      router.service(ApprovalService, handlers.approvals);
      if (sandbox !== undefined) router.service(PayoutSandboxService, sandbox);
    },
  };
}
