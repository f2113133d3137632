import { toJson } from "@bufbuild/protobuf";
import {
  AuditEntrySchema,
  JournalEntrySchema,
  PayoutInDoubtSchema,
  ResolutionSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { changesOf, textOf } from "@disburse/testkit/document-text.ts";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { RailReply } from "../rails/rail.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import type { Resolution } from "./rules/resolution.ts";

/** Resolutions whole, as they are stored and as they are shown, with what they change. */

const start = new Date("2026-03-01T10:00:00Z");
const reason = "the bank's statement of the day";
let platform: TestPlatform;
let payoutId = "";

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  platform = await startTestPlatform();
  const status = async (): Promise<RailReply> => ({ status: { kind: "unknown" } });
  platform.rails.current = testRail({ submit: status, query: status });
});
afterAll(async () => {
  vi.useRealTimers();
  await platform.stop();
});
beforeEach(async () => {
  vi.setSystemTime(start);
  payoutId = await platform.execute(await platform.fundedAccount("mer_1", "100.00"), "order");
  await platform.work();
  vi.setSystemTime(start.getTime() + 1_000);
});

const stored = (id: string) =>
  platform.database.db.collection<{ _id: string }>("resolutions").findOne({ _id: id });
const payout = () => platform.payouts.findOne({ _id: payoutId });
const time = (at: Date) => `${(at.getTime() - start.getTime()) / 1_000} s`;

/** A text without what differs from run to run. */
function plain(text: string, id: string): string {
  return text
    .replaceAll(id, "rsl_1")
    .replaceAll(payoutId, "po_1")
    .replaceAll(payoutId.slice("po_".length), "1")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "…");
}

/** A document as one line a field. */
const shown = (document: object | null) =>
  Object.entries(document ?? {})
    .map(([name, value]) => `${name}: ${textOf(value, time)}`)
    .join("\n");

/** What operators do, each as an operation of its own name, a second after the one before. */
function act<T>(call: (by: { mutation: object }) => Promise<T>, id: string, operationId: string) {
  vi.setSystemTime(Date.now() + 1_000);
  return call({ mutation: { operationId, actor: { kind: Actor_Kind.OPERATOR, id } } });
}

async function propose(outcome: object) {
  const { operationsRpc } = platform;
  const { resolution } = await act(
    (by) => operationsRpc.proposeResolution({ ...by, payoutId, reason, ...outcome }),
    ...(["ada", `propose-${payoutId}`] as const),
  );
  if (resolution === undefined) throw new Error("no resolution");
  return resolution;
}

const audited = async (subject: string) => {
  const { entries } = await platform.operationsRpc.listAuditEntries({ subject });
  return entries.map((each) => toJson(AuditEntrySchema, each));
};

it("is proposed and confirmed, and takes effect", async () => {
  const { operationsRpc } = platform;
  const settled = { outcome: RailOutcome.SETTLED, transactionReference: "WIRE-1" };
  const proposed = await propose(settled);
  const { id } = proposed;
  const json = (value: unknown) => plain(JSON.stringify(value, undefined, 1), id);
  expect(json(toJson(ResolutionSchema, proposed))).toMatchInlineSnapshot(`
    "{
     "id": "rsl_1",
     "payoutId": "po_1",
     "outcome": "RAIL_OUTCOME_SETTLED",
     "transactionReference": "WIRE-1",
     "reason": "the bank's statement of the day",
     "state": "RESOLUTION_STATE_PROPOSED",
     "proposedBy": {
      "kind": "KIND_OPERATOR",
      "id": "ada"
     },
     "createdAt": "2026-03-01T10:00:02Z",
     "updatedAt": "2026-03-01T10:00:02Z"
    }"
  `);
  expect(plain(shown(await stored(id)), id)).toMatchInlineSnapshot(`
    "_id: rsl_1
    schema_version: 1
    payout_id: po_1
    operation_id: propose-po_1
    outcome: { kind settled, reference WIRE-1 }
    reason: the bank's statement of the day
    doubt: unknown
    proposed: { person ada, operation propose-po_1, at 2 s }
    state: { kind proposed }
    open: true
    owed: []
    created_at: 2 s
    updated_at: 2 s"
  `);
  const listed = await operationsRpc.listPayoutsInDoubt({ limit: 1 });
  expect(listed.payouts.map((each) => each.resolutionId)).toEqual([id]);
  const [inDoubt] = listed.payouts.map((each) => toJson(PayoutInDoubtSchema, each));
  expect(json({ ...(inDoubt as object), payout: "…" })).toMatchInlineSnapshot(`
    "{
     "payout": "…",
     "doubt": "DOUBT_UNKNOWN",
     "since": "2026-03-01T10:00:00Z",
     "rail": "scripted",
     "resolutionId": "rsl_1",
     "resolution": {
      "id": "rsl_1",
      "payoutId": "po_1",
      "outcome": "RAIL_OUTCOME_SETTLED",
      "transactionReference": "WIRE-1",
      "reason": "the bank's statement of the day",
      "state": "RESOLUTION_STATE_PROPOSED",
      "proposedBy": {
       "kind": "KIND_OPERATOR",
       "id": "ada"
      },
      "createdAt": "2026-03-01T10:00:02Z",
      "updatedAt": "2026-03-01T10:00:02Z"
     }
    }"
  `);

  const [before, unconfirmed] = [await payout(), await stored(id)];
  const { resolution: confirmed } = await act(
    (by) => operationsRpc.confirmResolution({ ...by, resolutionId: id }),
    ...(["bob", `confirm-${payoutId}`] as const),
  );
  expect(json(confirmed && toJson(ResolutionSchema, confirmed))).toMatchInlineSnapshot(`
    "{
     "id": "rsl_1",
     "payoutId": "po_1",
     "outcome": "RAIL_OUTCOME_SETTLED",
     "transactionReference": "WIRE-1",
     "reason": "the bank's statement of the day",
     "state": "RESOLUTION_STATE_APPLIED",
     "proposedBy": {
      "kind": "KIND_OPERATOR",
      "id": "ada"
     },
     "confirmedBy": {
      "kind": "KIND_OPERATOR",
      "id": "bob"
     },
     "createdAt": "2026-03-01T10:00:02Z",
     "updatedAt": "2026-03-01T10:00:03Z"
    }"
  `);
  const changes = changesOf(unconfirmed, await stored(id), time).join("\n");
  expect(plain(changes, id)).toMatchInlineSnapshot(`
    "no open
    state = { kind applied, by { person bob, operation confirm-po_1, at 3 s } }
    updated_at = 3 s"
  `);
  const effect = changesOf(before, await payout(), time).join("\n");
  expect(plain(effect, id)).toMatchInlineSnapshot(`
    "no doubt
    journal + { stage concluding, version 1, at 3 s, cause resolved, detail resolved as settled WIRE-1, proposed by ada, confirmed by bob: the bank's statement of the day, actor { kind operator, id bob }, operation_id rsl_1 }
    progress = { stage concluding, outcome { kind settled, reference WIRE-1 } }
    resolutions = [{ id rsl_1, fate applied }]
    revision = 5
    updated_at = 3 s
    work_due_at = 3 s"
  `);
  expect(json(await audited(id))).toMatchInlineSnapshot(`
    "[
     {
      "sequence": "3",
      "createdAt": "2026-03-01T10:00:03Z",
      "actor": {
       "kind": "KIND_OPERATOR",
       "id": "bob"
      },
      "action": "resolution.confirmed",
      "subject": "rsl_1",
      "detail": "po_1: settled WIRE-1; the bank's statement of the day",
      "previousHash": "…",
      "hash": "…"
     },
     {
      "sequence": "1",
      "createdAt": "2026-03-01T10:00:02Z",
      "actor": {
       "kind": "KIND_OPERATOR",
       "id": "ada"
      },
      "action": "resolution.proposed",
      "subject": "rsl_1",
      "detail": "po_1: settled WIRE-1; the bank's statement of the day",
      "hash": "…"
     }
    ]"
  `);
  const { entries } = await operationsRpc.getPayoutJournal({ payoutId });
  expect(json(entries.map((each) => toJson(JournalEntrySchema, each)))).toMatchInlineSnapshot(`
    "[
     {
      "kind": "KIND_STEP",
      "createdAt": "2026-03-01T10:00:00Z",
      "stage": "queued",
      "version": 1,
      "detail": "executed",
      "rail": "scripted"
     },
     {
      "kind": "KIND_STEP",
      "createdAt": "2026-03-01T10:00:00Z",
      "stage": "submitting",
      "version": 1,
      "detail": "submitting to scripted",
      "rail": "scripted"
     },
     {
      "kind": "KIND_SUBMIT",
      "createdAt": "2026-03-01T10:00:00Z",
      "stage": "submitting",
      "version": 1,
      "detail": "unknown",
      "rail": "scripted"
     },
     {
      "kind": "KIND_STEP",
      "createdAt": "2026-03-01T10:00:00Z",
      "stage": "unknown",
      "version": 1,
      "detail": "rail said unknown",
      "rail": "scripted"
     },
     {
      "kind": "KIND_STEP",
      "createdAt": "2026-03-01T10:00:03Z",
      "stage": "concluding",
      "version": 1,
      "detail": "resolved as settled WIRE-1, proposed by ada, confirmed by bob: the bank's statement of the day",
      "rail": "scripted",
      "actor": {
       "kind": "KIND_OPERATOR",
       "id": "bob"
      }
     }
    ]"
  `);
});

it("is proposed and withdrawn, and changes nothing", async () => {
  const before = await payout();
  const { id } = await propose({ outcome: RailOutcome.REJECTED });
  const unchanged = await stored(id);
  const { resolution: withdrawn } = await act(
    (by) => platform.operationsRpc.withdrawResolution({ ...by, resolutionId: id }),
    ...(["cleo", `withdraw-${payoutId}`] as const),
  );
  const json = (value: unknown) => plain(JSON.stringify(value, undefined, 1), id);
  expect(json(withdrawn && toJson(ResolutionSchema, withdrawn))).toMatchInlineSnapshot(`
    "{
     "id": "rsl_1",
     "payoutId": "po_1",
     "outcome": "RAIL_OUTCOME_REJECTED",
     "reason": "the bank's statement of the day",
     "state": "RESOLUTION_STATE_WITHDRAWN",
     "proposedBy": {
      "kind": "KIND_OPERATOR",
      "id": "ada"
     },
     "createdAt": "2026-03-01T10:00:02Z",
     "updatedAt": "2026-03-01T10:00:03Z"
    }"
  `);
  const changes = changesOf(unchanged, await stored(id), time).join("\n");
  expect(plain(changes, id)).toMatchInlineSnapshot(`
    "no open
    state = { kind withdrawn, by { person cleo, operation withdraw-po_1, at 3 s } }
    updated_at = 3 s"
  `);
  expect(await payout()).toEqual(before);
  expect(json((await audited(id))[0])).toMatchInlineSnapshot(`
    "{
     "sequence": "7",
     "createdAt": "2026-03-01T10:00:03Z",
     "actor": {
      "kind": "KIND_OPERATOR",
      "id": "cleo"
     },
     "action": "resolution.withdrawn",
     "subject": "rsl_1",
     "detail": "po_1: rejected; the bank's statement of the day",
     "previousHash": "…",
     "hash": "…"
    }"
  `);
  expect(await platform.parts.resolutions.openOf([payoutId])).toEqual(new Map());
});

it("owes the audit trail each of its entries until the trail has that one", async () => {
  const { resolutions, clock } = platform.parts;
  const [id, operation] = [`rsl_${payoutId}`, `op-${payoutId}`];
  const proposed = { person: "ada", operation, at: clock.now() };
  const resolution: Resolution = {
    ...{ id, payoutId, reason, proposed, updatedAt: proposed.at },
    outcome: { kind: "rejected" },
    exception: "unknown",
    state: { kind: "proposed" },
  };
  const entry = { action: "resolution.proposed", subject: id, detail: "why", ...proposed } as const;
  const other = { ...entry, action: "resolution.confirmed", operation: "op" } as const;
  expect(await resolutions.insert(resolution, entry)).toBe(true);
  expect(await resolutions.read(id)).toEqual({ ...resolution, pending: [entry] });
  expect(await resolutions.change(resolution, resolution, other)).toBe(true);
  await resolutions.recorded(id, entry);
  expect((await resolutions.read(id))?.pending).toEqual([other]);
});

it.each([10, 1_000])("has a reason of %i characters", async (length) => {
  const proposed = await propose({ outcome: RailOutcome.REJECTED, reason: "x".repeat(length) });
  expect(proposed.reason).toHaveLength(length);
});
