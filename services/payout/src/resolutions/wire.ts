import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import {
  AuditEntrySchema,
  Doubt as DoubtMessage,
  JournalEntry_Kind,
  JournalEntrySchema,
  PayoutInDoubtSchema,
  ResolutionSchema,
  ResolutionState as ResolutionStateMessage,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { AuditEntry } from "../payouts/audit.ts";
import type { HistoryEntry } from "../payouts/journal.ts";
import type { ExceptionKind } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import type { Outcome } from "../payouts/rules/progress.ts";
import { payoutMessage } from "../payouts/wire.ts";
import type { Resolution, ResolutionState } from "./rules/resolution.ts";

const doubts = {
  unknown: DoubtMessage.UNKNOWN,
  stuck: DoubtMessage.STUCK,
  contradicted: DoubtMessage.CONTRADICTED,
} as const satisfies Record<ExceptionKind, DoubtMessage>;

const doubtNames: Readonly<Record<DoubtMessage, ExceptionKind | undefined>> = {
  [DoubtMessage.UNSPECIFIED]: undefined,
  [DoubtMessage.UNKNOWN]: "unknown",
  [DoubtMessage.STUCK]: "stuck",
  [DoubtMessage.CONTRADICTED]: "contradicted",
};

const journalKinds = {
  step: JournalEntry_Kind.STEP,
  submit: JournalEntry_Kind.SUBMIT,
  query: JournalEntry_Kind.QUERY,
  callback: JournalEntry_Kind.CALLBACK,
} as const satisfies Record<HistoryEntry["kind"], JournalEntry_Kind>;

const actorKinds = {
  api_key: Actor_Kind.API_KEY,
  operator: Actor_Kind.OPERATOR,
  service: Actor_Kind.SERVICE,
} as const satisfies Record<StoredActor["kind"], Actor_Kind>;

const resolutionStates = {
  proposed: ResolutionStateMessage.PROPOSED,
  confirmed: ResolutionStateMessage.CONFIRMED,
  applied: ResolutionStateMessage.APPLIED,
  withdrawn: ResolutionStateMessage.WITHDRAWN,
  superseded: ResolutionStateMessage.SUPERSEDED,
} as const satisfies Record<ResolutionState["kind"], ResolutionStateMessage>;

const outcomes = {
  settled: RailOutcome.SETTLED,
  rejected: RailOutcome.REJECTED,
  returned: RailOutcome.RETURNED,
} as const satisfies Record<Outcome["kind"], RailOutcome>;

/** The doubt of a filter; `undefined` for any. */
export function exceptionKindOf(message: DoubtMessage): ExceptionKind | undefined {
  return doubtNames[message];
}

/** A payout that people have to look at, with its open resolution. */
export function inDoubtMessage(payout: Payout, resolutionId: string) {
  const { doubt, rail } = payout;
  if (doubt === undefined) throw new Error("a payout that is not in doubt was listed");
  return create(PayoutInDoubtSchema, {
    payout: payoutMessage(payout),
    doubt: doubts[doubt.kind],
    since: timestampFromDate(doubt.since),
    ...{ rail, resolutionId },
  });
}

export function historyMessage({ kind, at, actor, ...line }: HistoryEntry) {
  return create(JournalEntrySchema, {
    ...line,
    kind: journalKinds[kind],
    createdAt: timestampFromDate(at),
    ...(actor && { actor: actorMessage(actor) }),
  });
}

export function resolutionMessage(resolution: Resolution) {
  const { id, payoutId, outcome, reason, proposed, state, updatedAt } = resolution;
  const isConfirmed = state.kind !== "proposed" && state.kind !== "withdrawn";
  const confirmation = isConfirmed ? state.by : undefined;
  return create(ResolutionSchema, {
    ...{ id, payoutId, reason },
    outcome: outcomes[outcome.kind],
    transactionReference: "reference" in outcome ? outcome.reference : "",
    state: resolutionStates[state.kind],
    proposedBy: operatorMessage(proposed.person),
    ...(confirmation && { confirmedBy: operatorMessage(confirmation.person) }),
    createdAt: timestampFromDate(proposed.at),
    updatedAt: timestampFromDate(updatedAt),
  });
}

export function auditMessage(entry: AuditEntry) {
  const { sequence, at, person, action, subject, detail, previousHash, hash } = entry;
  return create(AuditEntrySchema, {
    sequence: BigInt(sequence),
    createdAt: timestampFromDate(at),
    actor: operatorMessage(person),
    ...{ action, subject, detail, previousHash, hash },
  });
}

function operatorMessage(person: string) {
  return actorMessage({ kind: "operator", id: person });
}

function actorMessage({ kind, id }: StoredActor) {
  return create(ActorSchema, { kind: actorKinds[kind], id });
}
