import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { originOf } from "@disburse/chassis/call-context.ts";
import { cutPage, readLimit, readNumber, readPage } from "@disburse/chassis/paging/page.ts";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  AuditEntrySchema,
  Doubt,
  JournalEntry_Kind,
  JournalEntrySchema,
  PayoutInDoubtSchema,
  type PayoutOperationsService,
  ResolutionSchema,
  ResolutionState,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { toPayout } from "../payouts/document.ts";
import { listExceptions } from "../payouts/exceptions.ts";
import { type HistoryEntry, historyOf } from "../payouts/history.ts";
import { type AuditEntry, readOperator } from "../payouts/operators.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import {
  confirmResolution,
  proposeResolution,
  type ResolutionDeps,
  withdrawResolution,
} from "./resolve.ts";
import type { Resolution } from "./rules/resolution.ts";

/** The operators' RPCs of exceptions, their resolutions and the audit trail. */
export function resolutionsRpc(deps: ResolutionDeps) {
  const { payouts, resolutions, audit } = deps;
  return {
    listPayoutsInDoubt: async ({ doubt, ...page }) => {
      const { shown, nextCursor } = await readPage(
        page,
        (range) => listExceptions(payouts, wordOf(Doubt, doubt), range),
        ({ id, exception, createdAt }) => ({ at: exception?.since ?? createdAt, id }),
      );
      const open = await resolutions.openOf(shown.map(({ id }) => id));
      return {
        payouts: shown.map((payout) => exceptionMessage(payout, open.get(payout.id))),
        nextCursor,
      };
    },

    getPayoutJournal: async ({ payoutId }) => {
      const found = orThrow(
        (await payouts.findOne({ _id: payoutId })) ?? refused("RECORD_NOT_FOUND"),
      );
      const entries = historyOf(found).map(historyMessage);
      const requestId = originOf(found)?.request_id ?? "";
      return { payout: payoutMessage(toPayout(found)), entries, requestId };
    },

    proposeResolution: async (message) => {
      const by = readOperator(message.mutation);
      const outcome = orThrow(readOutcome(message));
      const reason = orThrow(readReason(message.reason));
      const { payoutId } = message;
      const proposed = await proposeResolution(deps, { payoutId, outcome, reason }, by);
      return { resolution: resolutionMessage(orThrow(proposed)) };
    },

    confirmResolution: async ({ mutation, resolutionId }) => {
      const confirmed = await confirmResolution(deps, resolutionId, readOperator(mutation));
      return { resolution: resolutionMessage(orThrow(confirmed)) };
    },

    withdrawResolution: async ({ mutation, resolutionId }) => {
      const withdrawn = await withdrawResolution(deps, resolutionId, readOperator(mutation));
      return { resolution: resolutionMessage(orThrow(withdrawn)) };
    },

    listAuditEntries: async ({ cursor, subject, ...page }) => {
      const limit = orThrow(readLimit(page.limit));
      const before = orThrow(readNumber(cursor));
      const found =
        subject === ""
          ? await audit.list(undefined, before, limit + 1)
          : await audit.decisionsOf(subject, before, limit + 1);
      const { shown, nextCursor } = cutPage(found, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map(auditMessage), nextCursor };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperationsService>>;
}

/** A payout with its exception and its open resolution. */
function exceptionMessage(payout: Payout, resolution: Resolution | undefined) {
  const { exception, rail } = payout;
  if (exception === undefined) throw new Error("a payout without an exception was listed");
  return create(PayoutInDoubtSchema, {
    payout: payoutMessage(payout),
    doubt: valueOfWord(Doubt, exception.kind),
    since: timestampFromDate(exception.since),
    rail,
    resolutionId: resolution?.id ?? "",
    ...(resolution && { resolution: resolutionMessage(resolution) }),
  });
}

function historyMessage({ kind, at, actor, ...entry }: HistoryEntry) {
  return create(JournalEntrySchema, {
    ...entry,
    kind: valueOfWord(JournalEntry_Kind, kind),
    createdAt: timestampFromDate(at),
    ...(actor && { actor: actorMessage(actor) }),
  });
}

function resolutionMessage(resolution: Resolution) {
  const { id, payoutId, outcome, reason, proposed, state, updatedAt } = resolution;
  const isConfirmed = state.kind !== "proposed" && state.kind !== "withdrawn";
  const confirmation = isConfirmed ? state.by : undefined;
  return create(ResolutionSchema, {
    id,
    payoutId,
    reason,
    outcome: valueOfWord(RailOutcome, outcome.kind),
    transactionReference: "reference" in outcome ? outcome.reference : "",
    state: valueOfWord(ResolutionState, state.kind),
    proposedBy: operatorMessage(proposed.person),
    ...(confirmation && { confirmedBy: operatorMessage(confirmation.person) }),
    createdAt: timestampFromDate(proposed.at),
    updatedAt: timestampFromDate(updatedAt),
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
  return create(ActorSchema, { kind: valueOfWord(Actor_Kind, kind), id });
}
