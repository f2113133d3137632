import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { callContext, originOf } from "@disburse/chassis/call-context.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import {
  cutPage,
  readLimit,
  readNumber,
  readPage,
  writeNumber,
} from "@disburse/chassis/paging/page.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  AuditEntrySchema,
  ExceptionKind,
  JournalEntry_Kind,
  JournalEntrySchema,
  PayoutExceptionSchema,
  PayoutOperatorService,
  type ResolvePayoutRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { ifCreated, toPayout } from "../payouts/document.ts";
import { listExceptions } from "../payouts/exceptions.ts";
import { type HistoryEntry, historyOf } from "../payouts/history.ts";
import type { AuditEntry } from "../payouts/operators.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import { describePayout, type Resolution, type ResolutionDeps, resolvePayout } from "./resolve.ts";
import { effectOfOutcome, outcomeText } from "./rules/resolution.ts";

/** The name of the list in its cursors. */
const auditList = "audit_entries";

export type ResolutionsRpc = ReturnType<typeof resolutionsRpc>;

/**
 * Creates the operator RPCs for exceptions, resolutions and the audit trail. `openProposals`
 * returns the ids of open proposals, by payout.
 */
export function resolutionsRpc(
  deps: ResolutionDeps,
  openProposals: () => Promise<ReadonlyMap<string, string>>,
) {
  const { payouts, audit } = deps;
  return {
    listPayoutExceptions: async ({ kind, ...page }) => {
      const { shown, nextCursor } = await readPage(
        "payout_exceptions",
        page,
        (range) => listExceptions(payouts, enumName(ExceptionKind, kind), range),
        ({ id, exception, createdAt }) => ({ at: exception?.since ?? createdAt, id }),
      );
      const open = await openProposals();
      return {
        exceptions: shown.map((payout) => exceptionMessage(payout, open.get(payout.id) ?? "")),
        nextCursor,
      };
    },

    getPayoutJournal: async ({ payoutId }) => {
      const found = orThrow(
        ifCreated(await payouts.findOne({ _id: payoutId })) ?? refused("RECORD_NOT_FOUND"),
      );
      const entries = historyOf(found).map(historyMessage);
      const requestId = originOf(found)?.request_id ?? "";
      return { payout: payoutMessage(toPayout(found)), entries, requestId };
    },

    resolvePayout: async (request) => {
      const by = readOperator(request.mutation);
      const resolution = { ...orThrow(readResolution(request)), by };
      const { approvedBy: person, checkedBefore: before = "" } = callContext() ?? {};
      const second = person === undefined ? undefined : { person, before };
      return { payout: payoutMessage(orThrow(await resolvePayout(deps, resolution, second))) };
    },

    listAuditEntries: async ({ cursor, subject, ...page }) => {
      const limit = orThrow(readLimit(page.limit));
      const before = orThrow(readNumber(auditList, cursor));
      const found =
        subject === ""
          ? await audit.list(undefined, before, limit + 1)
          : await audit.decisionsOf(subject, before, limit + 1);
      const { shown, nextCursor } = cutPage(found, limit, ({ sequence }) =>
        writeNumber(auditList, sequence),
      );
      return { entries: shown.map(auditMessage), nextCursor };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

export function readResolution(
  request: ResolvePayoutRequest,
): Omit<Resolution, "by"> | Refused<"INVALID_REQUEST"> {
  const outcome = readOutcome(request);
  if (isRefused(outcome)) return outcome;
  const reason = readReason(request.reason);
  return isRefused(reason) ? reason : { payoutId: request.payoutId, outcome, reason };
}

/** Builds the message of a payout with its exception and the id of its open proposal. */
function exceptionMessage(payout: Payout, proposalId: string) {
  const { exception, rail } = payout;
  if (exception === undefined) throw new Error("a listed payout has no exception");
  return create(PayoutExceptionSchema, {
    payout: payoutMessage(payout),
    kind: enumValue(ExceptionKind, exception.kind),
    since: timestampFromDate(exception.since),
    rail,
    proposalId,
  });
}

function historyMessage({ kind, at, actor, ...entry }: HistoryEntry) {
  return create(JournalEntrySchema, {
    ...entry,
    kind: enumValue(JournalEntry_Kind, kind),
    createdAt: timestampFromDate(at),
    ...(actor && { actor: actorMessage(actor) }),
  });
}

function auditMessage(entry: AuditEntry) {
  const { sequence, at, person, action, subject, detail, previousHash, hash } = entry;
  return create(AuditEntrySchema, {
    sequence: BigInt(sequence),
    createdAt: timestampFromDate(at),
    actor: operatorMessage(person),
    action,
    subject,
    detail,
    previousHash,
    hash,
  });
}

function operatorMessage(person: string) {
  return actorMessage({ kind: "operator", id: person });
}

function actorMessage({ kind, id }: StoredActor) {
  return create(ActorSchema, { kind: enumValue(Actor_Kind, kind), id });
}

export type GuardedResolutionDeps = ResolutionDeps & {
  /** Required in every mode, because a resolution always needs a second operator. */
  readonly proposals: Pick<ServiceApprovals, "guard" | "own">;
};

export function guardedResolutions(deps: GuardedResolutionDeps) {
  const { guard, own } = deps.proposals;
  const { current } = own(PayoutOperatorService.method.resolvePayout);
  const openProposals = async () =>
    new Map((await current()).map(({ subject, id }) => [subject, id]));
  return guard(PayoutOperatorService, resolutionsRpc(deps, openProposals), guards(deps));
}

/** Requires a second operator for every resolution. */
function guards({ payouts }: GuardedResolutionDeps): Guards<Pick<ResolutionsRpc, "resolvePayout">> {
  return {
    resolvePayout: {
      approvers: ["treasury_approver"],
      isSole: true,
      difference: async (request) => {
        const { payoutId, outcome, reason } = orThrow(readResolution(request));
        const payout = await findPayout(payouts, payoutId);
        const resolved = { payoutId, outcome: outcomeText(outcome), reason };
        return {
          before: payout === undefined ? "" : describePayout(payout),
          after: JSON.stringify({ resolved }),
        };
      },
      reasons: async (request) => {
        const { payoutId, outcome } = orThrow(readResolution(request));
        const payout = await findPayout(payouts, payoutId);
        orThrow(effectOfOutcome(orThrow(payout ?? refused("RECORD_NOT_FOUND")), outcome));
        return ["the request decides the outcome of a payout with an exception"];
      },
    },
  };
}
