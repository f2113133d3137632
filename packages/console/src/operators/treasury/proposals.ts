import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { callCommands } from "@disburse/commands/commands/all.ts";
import {
  type Proposal,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { enumValue } from "../../api/enum-names.ts";
import { type ApprovalPlace, answerOf, approvalPlaces, approvalsAt, isoOf } from "../../api/rpc.ts";
import { differenceOf } from "../actions/rules/flat.ts";
import { sentence, titleOf } from "../actions/rules/form.ts";

/** Number of proposals read per service. */
export const proposalsMax = 100;

/** A proposal with the service that has stored it. */
export type Placed = { readonly place: ApprovalPlace; readonly proposal: Proposal };

/**
 * Reads the proposals in a state. Without a state, reads the proposals that await the person's
 * decision.
 */
export async function readProposals(state = "") {
  const request = {
    state: enumValue(ProposalState, state),
    waitingForCaller: state === "",
    limit: proposalsMax,
  };
  let isCut = false;
  const results = await Promise.allSettled(
    approvalPlaces.map(async (place) => {
      const { proposals, nextCursor } = await answerOf(approvalsAt(place).listProposals(request));
      isCut ||= nextCursor !== "";
      return proposals.map((proposal): Placed => ({ place, proposal }));
    }),
  );
  const failures = results.filter((each) => each.status === "rejected");
  if (failures.length === results.length && failures[0] !== undefined) throw failures[0].reason;
  const found = results.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  return {
    proposals: found.toSorted((one, two) =>
      isoOf(two.proposal.createdAt).localeCompare(isoOf(one.proposal.createdAt)),
    ),
    /** True if a service has more proposals. */
    isCut,
    missing: approvalPlaces.filter((_, index) => results[index]?.status === "rejected"),
  };
}

/** Describes the change of a proposal. Merchants' RPCs have no entry in the table of actions. */
export function proposedAction({ rpc }: Proposal): string {
  const action = callCommands.find(
    ({ method }) => rpc === `${method.parent.typeName}/${method.name}`,
  );
  return action === undefined
    ? titleOf(rpc.slice(rpc.lastIndexOf("/") + 1))
    : sentence(action.summary);
}

/** Returns the fields that a proposal would change. */
export const proposedDifference = ({ before, after }: Proposal) =>
  differenceOf(recordIn(before), recordIn(after));

/** Reads a record of a proposal. A text that is no JSON object is its only field. */
function recordIn(text: string): JsonObject {
  const json = jsonIn(text);
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : { text };
}

export function jsonIn(text: string): JsonValue | undefined {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
