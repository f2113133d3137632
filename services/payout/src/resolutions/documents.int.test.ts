import { toJson } from "@bufbuild/protobuf";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import {
  AuditEntrySchema,
  JournalEntrySchema,
  PayoutExceptionSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { changesOf } from "@disburse/testkit/document-text.ts";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { personally, resolvers } from "../test-resolutions.ts";

/** Tests a complete resolution as proposed and returned, and its changes. */

const start = new Date("2026-03-01T10:00:00Z");
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

const payout = () => platform.payouts.findOne({ _id: payoutId });
const time = (at: Date) => `${(at.getTime() - start.getTime()) / 1_000} s`;
const later = () => void vi.setSystemTime(Date.now() + 1_000);

/** Removes the parts of a text that differ between runs. */
const plain = (text: string) =>
  text
    .replaceAll(/prp_\w+/g, "prp_1")
    .replaceAll(payoutId, "po_1")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "…");
const json = (value: unknown) => plain(JSON.stringify(value, undefined, 1));

const settled = { outcome: RailOutcome.SETTLED, transactionReference: "WIRE-1" };

it("is read by its approver, and is in the payout, its history and the trail", async () => {
  const { operatorRpc, proposalsRpc } = platform;
  const { propose, approve } = resolvers(platform);
  later();
  const proposed = await propose(payoutId, settled, personally("ada", "resolve-1"));
  const { proposalId } = proposed;
  const bob = {
    kind: "person",
    id: "bob",
    roles: new Set(["treasury_approver"] as const),
  } as const;
  const read = () => proposalsRpc.getProposal({ proposalId });
  const { proposal } = await withCallContext({ requestId: "", principal: bob }, read);
  const { before, after, reasons, subject, approvers } = proposal ?? {};
  expect(json({ before, after, reasons, subject, approvers })).toMatchInlineSnapshot(`
    "{
     "before": "{\\"payoutId\\":\\"po_1\\",\\"merchantId\\":\\"mer_1\\",\\"amount\\":\\"10.00 USD\\",\\"rail\\":\\"scripted\\",\\"stage\\":\\"unknown\\",\\"exception\\":\\"unknown\\"}",
     "after": "{\\"resolved\\":{\\"payoutId\\":\\"po_1\\",\\"outcome\\":\\"settled WIRE-1\\",\\"reason\\":\\"the bank's statement of the day\\"}}",
     "reasons": [
      "the request decides the outcome of a payout with an exception"
     ],
     "subject": "po_1",
     "approvers": [
      2
     ]
    }"
  `);
  const { exceptions: payouts } = await operatorRpc.listPayoutExceptions({ limit: 1 });
  const [exception] = payouts.map((each) => toJson(PayoutExceptionSchema, each));
  expect(json({ ...(exception as object), payout: "…" })).toMatchInlineSnapshot(`
    "{
     "payout": "…",
     "kind": "EXCEPTION_KIND_UNKNOWN",
     "since": "2026-03-01T10:00:00Z",
     "rail": "scripted",
     "proposalId": "prp_1"
    }"
  `);

  const unresolved = await payout();
  later();
  await approve(proposed, personally("bob", "approve-1"));
  const effect = changesOf(unresolved, await payout(), time).join("\n");
  expect(plain(effect)).toMatchInlineSnapshot(`
    "no exception
    journal + { stage concluding, version 1, at 3 s, cause resolved, detail resolved as settled WIRE-1, proposed by ada, approved by bob: the bank's statement of the day, actor { kind operator, id bob }, operation_id resolve-1 }
    progress = { stage concluding, outcome { kind settled, reference WIRE-1 } }
    resolutions = [{ id resolve-1, effect applied }]
    revision = 5
    updated_at = 3 s
    work_due_at = 3 s"
  `);
  const { entries: trail } = await operatorRpc.listAuditEntries({ subject: payoutId });
  expect(json(trail.map((each) => toJson(AuditEntrySchema, each)))).toMatchInlineSnapshot(`
    "[
     {
      "sequence": "1",
      "createdAt": "2026-03-01T10:00:03Z",
      "actor": {
       "kind": "KIND_OPERATOR",
       "id": "ada"
      },
      "action": "payout.resolved",
      "subject": "po_1",
      "detail": "settled WIRE-1, approved by bob: the bank's statement of the day",
      "hash": "…"
     }
    ]"
  `);
  const { entries } = await operatorRpc.getPayoutJournal({ payoutId });
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
      "detail": "rail reported unknown",
      "rail": "scripted"
     },
     {
      "kind": "KIND_STEP",
      "createdAt": "2026-03-01T10:00:03Z",
      "stage": "concluding",
      "version": 1,
      "detail": "resolved as settled WIRE-1, proposed by ada, approved by bob: the bank's statement of the day",
      "rail": "scripted",
      "actor": {
       "kind": "KIND_OPERATOR",
       "id": "bob"
      }
     }
    ]"
  `);
});

it("changes nothing when it is proposed and withdrawn", async () => {
  const before = await payout();
  const { proposalId } = await resolvers(platform).propose(payoutId);
  await platform.proposalsRpc.withdrawProposal({ mutation: personally("ada"), proposalId });
  expect(await payout()).toEqual(before);
});
