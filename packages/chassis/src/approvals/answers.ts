import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ApprovalRequired,
  ApprovalRequiredSchema,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../rpc/refusal.ts";
import { type Proposal, stateAt } from "./proposal.ts";

/** Refuses an approved request whose subject has changed since the approver read it. */
export const supersededRefusal = refused(
  "INVALID_REQUEST",
  "proposal_id: the record has changed since the proposal: make a new one",
);

/**
 * Throws the response to a repeat of a proposed request. If the request has already run, returns,
 * so that the RPC responds to the repeat.
 */
export function endRepeat(known: Proposal, content: string, person: string, now: Date): void {
  if (known.content !== content) orThrow(otherContent);
  if (known.proposed.by !== person) {
    orThrow(refused("ACCESS_FORBIDDEN", "operation_id: belongs to a proposal of another person"));
  }
  const state = stateAt(known, now);
  if (state === "executed") return;
  if (state === "open" || state === "approved") throw approvalRequired(known);
  const why = known.outcome === "" ? "" : `: ${known.outcome}`;
  orThrow(
    refused("INVALID_REQUEST", `operation_id: the proposal of this operation is ${state}${why}`),
  );
}

/** Returns the error for a request that awaits approval. */
export function approvalRequired({ id, digest, expiresAt }: Proposal): ConnectError {
  const code = "APPROVAL_REQUIRED";
  const message = `another person must approve this request: proposal ${id}`;
  const expires = timestampFromDate(expiresAt);
  return new ConnectError(`${code}: ${message}`, Code.FailedPrecondition, undefined, [
    { desc: RefusalSchema, value: { code, message } },
    {
      desc: ApprovalRequiredSchema,
      value: { proposalId: id, contentDigest: digest, expiresAt: expires },
    },
  ]);
}

/** Reads the pending proposal from an RPC error. Returns `undefined` for other errors. */
export function readApprovalRequired(error: unknown): ApprovalRequired | undefined {
  return error instanceof ConnectError ? error.findDetails(ApprovalRequiredSchema)[0] : undefined;
}
