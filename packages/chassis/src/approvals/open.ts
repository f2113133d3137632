import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import { openAuditStore } from "../audit/store.ts";
import type { Sealer } from "../crypto/sealing.ts";
import type { Log } from "../log.ts";
import { startLoop } from "../loop.ts";
import { bindOperations, openOperationBindings } from "../mutations/bindings.ts";
import { createApprovals } from "./approvals.ts";
import { approvalRpc } from "./rpc.ts";
import { openProposals } from "./store.ts";

/**
 * The interval between sweeps. If a process is killed, its approved requests run up to this time
 * after their leases have ended.
 */
const sweepEveryMs = 5_000;

/** Opens the approvals of a service, with their RPCs and the sweep that recovers from crashes. */
export function openApprovals(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum number of open proposals of one merchant. */
  readonly openMax: number;
  /** Present if requests may contain personal data. */
  readonly sealer?: Sealer | undefined;
}) {
  const { clock, log, openMax } = deps;
  const proposals = openProposals(deps);
  const isDone = openAuditStore(deps).hasDone;
  const approvals = createApprovals({ proposals, isDone, clock, log, openMax });
  const run = () => approvals.sweep().then(() => false);
  const rpc = approvalRpc({ approvals, proposals, clock });
  return {
    guard: approvals.guard,
    permit: approvals.permit,
    own: approvals.own,
    sweep: approvals.sweep,
    rpc: bindOperations(ApprovalService, rpc, openOperationBindings(deps), {
      decisions: ["approveProposal", "rejectProposal", "withdrawProposal"],
    }),
    start: () => startLoop({ name: "approvals", everyMs: sweepEveryMs, run, log }),
  };
}

export type ServiceApprovals = ReturnType<typeof openApprovals>;
