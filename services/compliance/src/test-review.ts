import { randomBytes, randomUUID } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics, type Metrics } from "@disburse/chassis/metrics.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { createTurns } from "@disburse/chassis/turns.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  ComplianceReviewService,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import {
  type HeldForPayeeSchema,
  ListHeldPayoutsResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/held_payouts_pb.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { openFileStore } from "@disburse/files/store.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import { callAsNamed } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { reviewGuards } from "./alerts/approvals.ts";
import { startReview } from "./alerts/open.ts";
import { subjectAlerts } from "./alerts/raising.ts";
import { auditContext } from "./alerts/review.ts";
import { openAlertStore } from "./alerts/store.ts";
import type { IsListed } from "./lists/changed-entries.ts";
import { openListStore } from "./lists/store.ts";
import { migrations } from "./migrations.ts";
import { decidedFinding } from "./screening/rules/decided-finding.ts";
import type { ScreeningHit } from "./screening/rules/hit.ts";
import type { Screening, ScreeningQuery, Subject } from "./screening/rules/screening.ts";
import type { StoredScreening } from "./screening/store.ts";

/** The last screening of a subject, with its result. */
type Monitored = {
  readonly request: ScreeningQuery;
  readonly hits: readonly ScreeningHit[];
  readonly revision: number;
  readonly verdict: Verdict;
};

export const party = (name: string): Party => ({
  ...{ type: "individual", name, date: "", countries: [], documents: [] },
});
export const requestOf = (...names: string[]): ScreeningQuery => ({
  parties: names.map(party),
  wallets: [],
});

/** A hit with an entry of an invented list. */
export const hitOf = (entryUid: string, change: Partial<ScreeningHit> = {}): ScreeningHit => ({
  ...{ list: "invented", listVersion: "1", entryUid, entryFingerprint: `f-${entryUid}` },
  ...{ entryType: "individual", source: "", programs: [], subjectIndex: 0 },
  ...{ matchedName: `Listed ${entryUid}`, score: 0.9, nameScore: 0.9, verdict: "review" },
  reasons: [{ kind: "name", text: "orlan is written so in both", effect: 0.9 }],
  parts: [{ party: "orlan", entry: "orlan", similarity: 1, weight: 1 }],
  ...{ partyLeftOver: [], entryLeftOver: [] },
  ...change,
});

export const subjectOf = (recordId: string = newId("beneficiary")): Subject => ({
  merchantId: "mer_1",
  recordId,
});

export const officer = (id: string, operationId: string = randomUUID()) => ({
  mutation: { operationId, actor: { kind: Actor_Kind.OPERATOR, id } },
});

/** Returns the proposal that a call was refused with. */
export async function proposalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("the call succeeded without a second person"),
    (thrown: unknown) => thrown,
  );
  const required = readApprovalRequired(error);
  if (required === undefined) throw error;
  return { proposalId: required.proposalId, contentDigest: required.contentDigest };
}

/** Starts the review service on its own database, with just enough monitoring. */
export async function testReview(encryptionKeys = `k1:${randomBytes(32).toString("base64")}`) {
  const database = await migratedDatabase("review", migrations);
  const clock = { now: () => new Date() };
  const sealer = createSealer(encryptionKeys);
  const alerts = openAlertStore(database, sealer);
  const keys = createKeyedHashes(encryptionKeys, "alerts");
  const removed = new Set<string>();
  const isListed: IsListed = async (_lists, { entryUid }) => !removed.has(entryUid);
  const raising = subjectAlerts({ store: alerts, keys, isListed, clock });
  const monitored = new Map<string, Monitored>();
  const screenings = new Map<string, StoredScreening>();
  const faults = { rescreen: undefined as Error | undefined };

  const take = async (subject: Subject, next: Omit<Monitored, "revision" | "verdict">) => {
    const { request, hits } = next;
    const isFirst = !monitored.has(subject.recordId);
    const decisions = await raising.decisionsOf(subject, { ...next, isFirst });
    const finding = decidedFinding({ hits }, decisions);
    const revision = (monitored.get(subject.recordId)?.revision ?? 0) + 1;
    const id = newId("screening");
    const screening: Screening = {
      ...{ ...finding, id, subject, configurationVersion: "c1" },
      ...{ kind: "party", trigger: "request", lists: [], createdAt: clock.now() },
    };
    screenings.set(id, { screening, request: JSON.stringify({ subject, banks: [], ...request }) });
    monitored.set(subject.recordId, { ...next, revision, verdict: finding.verdict });
    await raising.raise({ subject, revision, request, screening });
    return screening;
  };
  const rescreen = async (subject: Subject) => {
    if (faults.rescreen !== undefined) throw faults.rescreen;
    const known = monitored.get(subject.recordId);
    if (known !== undefined) await take(subject, known);
  };

  /** The payouts that the payout service returns for every payee. */
  const held = { payouts: [] as MessageInitShape<typeof HeldForPayeeSchema>["payouts"] };
  const payout = {
    listHeldPayouts: async ({ payees = [] }) =>
      create(ListHeldPayoutsResponseSchema, {
        payees: payees.map((payee) => ({ payee, payouts: held.payouts ?? [] })),
      }),
  } as Pick<Client<typeof PayoutOperatorService>, "listHeldPayouts">;

  const metrics = createMetrics("compliance");
  const open = (counted: Metrics) =>
    startReview({
      ...{ database, alerts, sealer, rescreen, metrics: counted, clock, keys, payout },
      ...{ files: openFileStore(database, sealer), lists: openListStore(database) },
      ...{ dueHours: { review: 72, block: 24 }, renders: createTurns({ restRatio: 0 }) },
      screenings: { get: async (id) => screenings.get(id) },
      log: silentLog,
    });
  const review = await open(metrics);
  const approvals = openApprovals({
    db: database.db,
    clock,
    log: silentLog,
    openMax: 1_000,
    sealer,
  });
  const { decideAlert } = reviewGuards(alerts, { score: undefined, lists: new Set() });
  // Calls the handler directly, as after an approval by a second person.
  const reopenAlert: (typeof review.rpc)["reopenAlert"] = (request, context) =>
    withCallContext({ requestId: "", ...callContext(), approvedBy: "a second person" }, () =>
      review.rpc.reopenAlert(request, context),
    );
  const rpc = { ...review.rpc, reopenAlert };
  const guarded = approvals.guard(ComplianceReviewService, rpc, {
    ...(decideAlert && { decideAlert }),
  });
  const server = await startRpcServer({
    ...{ host: "127.0.0.1", port: 0, log: silentLog, metrics },
    verify: testTrust.verify("compliance"),
    services: [ComplianceReviewService, ApprovalService],
    routes: (router) =>
      router.service(ComplianceReviewService, guarded).service(ApprovalService, approvals.rpc),
    ready: database.ready,
  });
  const connect = (identity: ClientIdentity) =>
    connectService(ComplianceReviewService, server.url, { identity, timeoutMs: 10_000 });
  const client = callAsNamed(connect, testTrust.person, "test");
  const connectApprovals = (identity: ClientIdentity) =>
    connectService(ApprovalService, server.url, { identity, timeoutMs: 10_000 });
  const deciding = callAsNamed(connectApprovals, testTrust.person, "test");

  return {
    ...{ database, alerts, raising, metrics, faults, held },
    /** The uids of entries that no list contains any more. */
    removed,
    rpc: client.rpc,
    approvals: deciding.rpc,
    /** Connects to the approvals with another identity. */
    connectApprovals,
    /** Confirms as two persons that a party is the listed one. */
    trueMatch: async (
      alertId: string,
      reason: string,
      [by, second]: [string, string] = ["ada", "bob"],
    ) => {
      const decision = { alertId, decision: Decision.TRUE_MATCH, reason };
      const proposed = await proposalOf(client.rpc.decideAlert({ ...officer(by), ...decision }));
      const { proposal } = await deciding.rpc.approveProposal({ ...officer(second), ...proposed });
      return proposal;
    },
    /** Connects to the RPCs, with admission. */
    connect,
    /** Screens a subject with these hits, as monitoring does. */
    screen: (
      subject: Subject,
      hits: readonly ScreeningHit[],
      request = requestOf("Orlan Vessik"),
    ) => take(subject, { request, hits }),
    /** Encrypts a reason for the audit trail. */
    sealDetail: (alertId: string, detail: string) => sealer.seal(detail, auditContext(alertId)),
    /** Starts another process, whose first sweep and count run at once. */
    startAnother: async () => {
      const itsMetrics = createMetrics("compliance");
      return { ...(await open(itsMetrics)), metrics: itsMetrics };
    },
    verdictOf: ({ recordId }: Subject) => monitored.get(recordId)?.verdict,
    end: async () => {
      await client.close();
      await deciding.close();
      await server.stop();
      await review.stop();
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

export type TestReview = Awaited<ReturnType<typeof testReview>>;
