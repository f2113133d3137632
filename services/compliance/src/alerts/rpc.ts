import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { assertAsChecked } from "@disburse/chassis/approvals/checked.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import {
  cutPage,
  readLimit,
  readNumber,
  readPage,
  writeNumber,
} from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  AlertState,
  type ComplianceReviewService,
  Decision,
  type ListAlertsRequest,
  ListAlertsRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { checkFile, evidenceRules } from "@disburse/files/file.ts";
import { hashedId } from "@disburse/kernel/id.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { orThrow } from "../refusals.ts";
import type { ScreeningRequest } from "../screening/request.ts";
import type { StoredScreening } from "../screening/store.ts";
import { fullScreeningMessage } from "../screening/wire.ts";
import { alertActivityRpc } from "./activity.ts";
import { type CaseDeps, exportCase, readCase } from "./case.ts";
import { type AlertKeys, partyKeysAt } from "./raising.ts";
import { changeAlert, type Intent, type ReviewDeps } from "./review.ts";
import {
  type Alert,
  type AlertStateKind,
  assignedTo,
  commentedOn,
  decidedBy,
  fullOfFiles,
  pendingKinds,
  type ReviewedBy,
  reopenedBy,
  withFile,
} from "./rules/alert.ts";
import type { AlertFilter } from "./store.ts";
import { alertMessage, describeAlert, fileMessage, reviewEntryMessage } from "./wire.ts";

/** The name of the list in its cursors. */
const entryList = "review_entries";

export type ReviewRpcDeps = ReviewDeps &
  CaseDeps & {
    readonly keys: AlertKeys;
  };

type ReviewRpc = ServiceImpl<typeof ComplianceReviewService>;

export function reviewRpc(deps: ReviewRpcDeps): ReviewRpc {
  const reads = { ...alertActivityRpc(deps), ...readsRpc(deps) };
  return { ...reads, ...changesRpc(deps), ...filesRpc(deps) };
}

async function readAlert({ alerts }: Pick<ReviewDeps, "alerts">, id: string): Promise<Alert> {
  return orThrow((await alerts.read(id)) ?? refused("RECORD_NOT_FOUND")).alert;
}

function readsRpc(deps: ReviewRpcDeps) {
  const { alerts, audit, sealer, dueHours } = deps;
  const message = (alert: Alert) => alertMessage(alert, dueHours);
  return {
    listAlerts: async (request) => {
      const filter = readFilter(request);
      const { shown, nextCursor } = await readPage(
        "alerts",
        request,
        ({ after, limit }) => alerts.list(filter, after, limit),
        ({ waitingSince: at, id }) => ({ at, id }),
      );
      return { alerts: shown.map(message), nextCursor };
    },

    getAlert: async ({ alertId }) => {
      const alert = await readAlert(deps, alertId);
      const { screening, ...found } = await readCase(deps, alert);
      const related = await alerts.related({
        id: alert.id,
        subject: alert.subject,
        entry: alert.detection.hit,
        partyKeys: partyKeysOf(deps.keys, alert, screening),
      });
      return {
        alert: message(alert),
        ...found,
        related: related.map(message),
        ...(screening && { screening: fullScreeningMessage(screening) }),
      };
    },

    getAdjacentAlerts: async ({ alertId, list }) => {
      const { id, waitingSince: at } = await readAlert(deps, alertId);
      const filter = readFilter(list ?? create(ListAlertsRequestSchema));
      const { previous, next } = await alerts.adjacent(filter, { at, id });
      return { previousAlertId: previous, nextAlertId: next };
    },

    listReviewEntries: async ({ alertId, limit: pageLimit, cursor }) => {
      const limit = orThrow(readLimit(pageLimit));
      const before = orThrow(readNumber(entryList, cursor));
      const found = await (alertId === ""
        ? audit.list(undefined, before, limit + 1)
        : audit.decisionsOf(alertId, before, limit + 1));
      const { shown, nextCursor } = cutPage(found, limit, ({ sequence }) =>
        writeNumber(entryList, sequence),
      );
      return { entries: shown.map((entry) => reviewEntryMessage(entry, sealer)), nextCursor };
    },

    exportAlert: async ({ alertId, format }, { signal }) => {
      const exported = await exportCase(deps, await readAlert(deps, alertId), format, signal);
      return orThrow(exported);
    },
  } satisfies Partial<ReviewRpc>;
}

async function change(deps: ReviewDeps, mutation: Mutation | undefined, intent: Intent) {
  return orThrow(await changeAlert(deps, intent, readOfficer(mutation)));
}

function changesRpc(deps: ReviewRpcDeps) {
  const changed = async (mutation: Mutation | undefined, intent: Intent) => {
    return { alert: alertMessage(await change(deps, mutation, intent), deps.dueHours) };
  };
  return {
    assignAlert: async ({ mutation, alertId: id, assignee }) => {
      const given = orThrow(readAssignee(assignee));
      const rule = (alert: Alert, act: ReviewedBy) => assignedTo(alert, given, act);
      return changed(mutation, { id, action: "alert.assigned", given, rule });
    },

    decideAlert: async ({ mutation, alertId: id, decision: value, reason }) => {
      const known =
        enumName(Decision, value) ?? refused("INVALID_REQUEST", "decision: is required");
      const [decision, given] = [orThrow(known), orThrow(readReason(reason))];
      const action = `alert.${decision}` as const;
      const second = callContext()?.approvedBy;
      const rule = (alert: Alert, act: ReviewedBy) => {
        assertAsChecked(describeAlert(alert));
        return decidedBy(alert, decision, given, act, second);
      };
      return changed(mutation, { id, action, given, rule });
    },

    reopenAlert: async ({ mutation, alertId: id, reason }) => {
      const given = orThrow(readReason(reason));
      const isApproved = callContext()?.approvedBy !== undefined;
      const rule = (alert: Alert, act: ReviewedBy) => {
        assertAsChecked(describeAlert(alert));
        return reopenedBy(alert, given, act, isApproved);
      };
      return changed(mutation, { id, action: "alert.reopened", given, rule });
    },

    commentAlert: async ({ mutation, alertId: id, comment }) => {
      const given = orThrow(readComment(comment));
      const rule = (alert: Alert, act: ReviewedBy) => commentedOn(alert, given, act);
      return changed(mutation, { id, action: "alert.commented", given, rule });
    },
  } satisfies Partial<ReviewRpc>;
}

function filesRpc(deps: ReviewRpcDeps) {
  const { alerts, files } = deps;
  return {
    addAlertFile: async ({ mutation, alertId, ...uploaded }) => {
      const by = readOfficer(mutation);
      const checked = orThrow(checkFile(uploaded, evidenceRules));
      const alert = await readAlert(deps, alertId);
      const id = fileIdOf(alertId, by.operation);
      // A repeat of an upload is never refused. The rule of the change is checked again, because
      // another person may add a file meanwhile.
      const full = alert.files.includes(id) ? undefined : fullOfFiles(alert);
      if (full !== undefined) orThrow(full);
      const own = { id, owner: alertId, addedBy: by.person, createdAt: deps.clock.now() };
      const file = orThrow(await files.add(own, checked));
      const given = JSON.stringify([id, file.name, file.sha256]);
      const rule = (found: Alert, act: ReviewedBy) => withFile(found, file, act);
      await change(deps, mutation, { id: alertId, action: "alert.file_added", given, rule });
      return { file: fileMessage(file) };
    },

    getAlertFile: async ({ fileId }) => {
      const found = await files.read(fileId);
      const alert = found && (await alerts.read(found.file.owner))?.alert;
      // A file whose alert doesn't have it was never added completely.
      const isAdded = alert?.files.includes(fileId) ?? false;
      const { file, content } = orThrow((isAdded && found) || refused("RECORD_NOT_FOUND"));
      return { file: fileMessage(file), content };
    },
  } satisfies Partial<ReviewRpc>;
}

/** The id of a file depends on its operation, so that a repeat finds the file. */
function fileIdOf(alertId: string, operation: string): string {
  const text = JSON.stringify(["alert file", alertId, operation]);
  return hashedId("file", createHash("sha256").update(text).digest());
}

/** Includes keys of the party under older encryption keys, if its screening is known. */
function partyKeysOf(
  keys: AlertKeys,
  { partyKey, detection }: Alert,
  screening: StoredScreening | undefined,
): string[] {
  if (screening === undefined) return [partyKey];
  const request = JSON.parse(screening.request) as ScreeningRequest;
  return [partyKey, ...partyKeysAt(keys, request, detection.hit.subjectIndex)];
}

const notAnOfficer = refused("ACCESS_FORBIDDEN", "caller: must be an operator");

/** Reads the person and the operation id of a change. Refuses a caller that is not an operator. */
function readOfficer(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOfficer);
  return { person: actor.id, operation: operationId };
}

type Invalid = Refused<"INVALID_REQUEST">;

const personText = /^[\x21-\x7e]{0,128}$/;

function readAssignee(text: string): string | Invalid {
  if (personText.test(text)) return text;
  return refused("INVALID_REQUEST", "assignee: must be at most 128 printable characters");
}

function readFilter(request: ListAlertsRequest): AlertFilter {
  const { assignee, merchantId, recordId, list, scoreFrom } = request;
  const states = orThrow(readStates(request.states));
  if (!(scoreFrom >= 0 && scoreFrom <= 1)) {
    orThrow(refused("INVALID_REQUEST", "score_from: must be between 0 and 1"));
  }
  return { states, assignee, merchantId, recordId, list, scoreFrom };
}

const commentMax = 2_000;

/** Cleans a comment. It may have line breaks, unlike a reason. */
function readComment(text: string): string | Invalid {
  const comment = cleanText(text.replaceAll("\r\n", "\n"));
  const isSized = comment.length >= 1 && comment.length <= commentMax;
  const problems = comment.split("\n").map(textProblem);
  if (isSized && problems.every((each) => each === undefined)) return comment;
  const rule = `must be 1 to ${commentMax} printable characters`;
  return refused("INVALID_REQUEST", `comment: ${rule}`);
}

/** Reads the filter by state. The default is the pending states. */
function readStates(values: readonly AlertState[]): readonly AlertStateKind[] | Invalid {
  if (values.length === 0) return pendingKinds;
  const kinds = values
    .map((value) => enumName(AlertState, value))
    .filter((kind) => kind !== undefined);
  if (kinds.length === values.length) return [...new Set(kinds)];
  return refused("INVALID_REQUEST", "states: must be known alert states");
}
