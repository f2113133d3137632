import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { accepted } from "../refusals.ts";
import type { ScreeningStore } from "../screening/store.ts";
import { askedScreeningMessage } from "../screening/wire.ts";
import { readAssignee, readBefore, readDecision, readReason, readStates } from "./request.ts";
import {
  assignAlert,
  confirmTrueMatch,
  decideAlert,
  type ReviewDeps,
  reopenAlert,
} from "./review.ts";
import type { Alert } from "./rules/alert.ts";
import { alertMessage, reviewEntryMessage } from "./wire.ts";

export type ReviewRpcDeps = ReviewDeps & {
  readonly screenings: Pick<ScreeningStore, "get">;
};

/** More was never done with one alert; of more the newest are shown. */
const entriesMax = 1_000;

/** The RPCs of compliance officers. */
export function reviewRpc(deps: ReviewRpcDeps): ServiceImpl<typeof ComplianceReviewService> {
  const { alerts, audit, sealer } = deps;
  return {
    listAlerts: async ({ states, assignee, merchantId, recordId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      const after = accepted(readStart(cursor));
      const filter = { states: accepted(readStates(states)), assignee, merchantId, recordId };
      const found = await alerts.list(filter, after, limit + 1);
      const { shown, nextCursor } = cutPageBy(found, limit, waitingCursor);
      return { alerts: shown.map(alertMessage), nextCursor };
    },

    getAlert: async ({ alertId }) => {
      const { alert } = accepted((await alerts.read(alertId)) ?? refused("RECORD_NOT_FOUND"));
      const [screening, entries] = await Promise.all([
        deps.screenings.get(alert.sighting.screeningId),
        audit.list(alertId, undefined, entriesMax),
      ]);
      return {
        alert: alertMessage(alert),
        ...(screening && { screening: askedScreeningMessage(screening) }),
        entries: entries.toReversed().map((entry) => reviewEntryMessage(entry, sealer)),
      };
    },

    assignAlert: async ({ mutation, alertId, assignee }) => {
      const by = readOfficer(mutation);
      const person = accepted(readAssignee(assignee));
      const assigned = await assignAlert(deps, alertId, person, by);
      return { alert: alertMessage(accepted(assigned)) };
    },

    decideAlert: async ({ mutation, alertId, ...message }) => {
      const by = readOfficer(mutation);
      const decision = accepted(readDecision(message.decision));
      const reason = accepted(readReason(message.reason));
      const decided = await decideAlert(deps, alertId, { decision, reason }, by);
      return { alert: alertMessage(accepted(decided)) };
    },

    confirmTrueMatch: async ({ mutation, alertId }) => {
      const confirmed = await confirmTrueMatch(deps, alertId, readOfficer(mutation));
      return { alert: alertMessage(accepted(confirmed)) };
    },

    reopenAlert: async ({ mutation, alertId, reason: text }) => {
      const by = readOfficer(mutation);
      const reopened = await reopenAlert(deps, alertId, accepted(readReason(text)), by);
      return { alert: alertMessage(accepted(reopened)) };
    },

    listReviewEntries: async ({ alertId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      const before = accepted(readBefore(cursor));
      const subject = alertId === "" ? undefined : alertId;
      const found = await audit.list(subject, before, limit + 1);
      const { shown, nextCursor } = cutPageBy(found, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map((entry) => reviewEntryMessage(entry, sealer)), nextCursor };
    },
  };
}

function waitingCursor({ waitingSince, id }: Alert): string {
  return writeCursor({ at: waitingSince, id });
}

const notAnOfficer = refused("ACCESS_FORBIDDEN", "mutation.actor: must be an operator");

/** The person and the operation of a change that only the operator's staff may make. */
function readOfficer(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") accepted(notAnOfficer);
  return { person: actor.id, operation: operationId };
}
