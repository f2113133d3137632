import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { type PayoutDocument, type Payouts, type StoredCall, toPayout } from "./document.ts";
import type { Progress } from "./rules/progress.ts";
import { openPayouts } from "./store.ts";
import { after, changesBy, storedPayout } from "./test-documents.ts";
import { type Annotation, advance, annotate, type Release, release, type Step } from "./work.ts";

/** Tests each write completely: unexpected changes fail. */

let database: Database;
let payouts: Payouts;
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
  payouts = openPayouts(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const lease = { token: "token-1", until: after(8), place: "first:8080" };
const earlier: StoredCall = { kind: "leased", at: after(0) };
const answer: StoredCall = { kind: "answer", at: after(5), said: "accepted" };

/** Inserts a leased payout at its rail, and another one that no write may change. */
async function insert(change: Partial<PayoutDocument> = {}) {
  const [stored, other] = [storedPayout, storedPayout].map((make) =>
    make({
      ...{ progress: { stage: "processing" }, revision: 4, rail: "swift", lease },
      ...{ submitted_at: after(1), work_due_at: after(0), calls: [earlier], ...change },
    }),
  ) as [PayoutDocument, PayoutDocument];
  await payouts.insertMany([other, stored]);
  return { stored, other };
}

describe("an annotation", () => {
  const exception = { kind: "contradicted", since: after(5) } as const;
  const wait = { status: "review", since: after(2) } as const;
  const call = { kind: "callback", at: after(5), said: "settled R" } as const;
  const pushed = "calls + { kind callback, at 5 s, said settled R }";
  const waits =
    "journal + { stage processing, version 1, at 5 s, cause uncleared, detail not sent: the screening status of the beneficiary is review }";

  it.each<[string, Annotation, string[]]>([
    ["of nothing", {}, []],
    ["of a call", { call }, [pushed]],
    [
      "of an exception",
      { exception },
      ["exception = { kind contradicted, since 5 s }", "revision = 5"],
    ],
    [
      "of a call and an exception",
      { call, exception },
      [pushed, "exception = { kind contradicted, since 5 s }", "revision = 5"],
    ],
    [
      "of a wait",
      { uncleared: { wait, at: after(5) } },
      [waits, "revision = 5", "uncleared = { status review, since 2 s }"],
    ],
    [
      "of all three",
      { call, exception, uncleared: { wait, at: after(5) } },
      [
        pushed,
        "exception = { kind contradicted, since 5 s }",
        waits,
        "revision = 5",
        "uncleared = { status review, since 2 s }",
      ],
    ],
  ])("%s changes that, of its payout", async (_what, annotation, expected) => {
    const { stored, other } = await insert();
    const write = async () =>
      expect(await annotate(payouts, toPayout(stored), annotation)).toBe(true);
    expect(await changesBy(payouts, stored._id, write)).toEqual(expected);
    expect(await payouts.findOne({ _id: other._id })).toEqual(other);
  });

  it("of a state changes nothing after another write, and a call is added nevertheless", async () => {
    const { stored } = await insert();
    const stale = { ...toPayout(stored), revision: 3 };
    for (const annotation of [{ exception }, { uncleared: { wait, at: after(5) } }]) {
      const write = async () =>
        expect(await annotate(payouts, stale, { call, ...annotation })).toBe(false);
      expect(await changesBy(payouts, stored._id, write)).toEqual([]);
    }
    const write = async () => expect(await annotate(payouts, stale, { call })).toBe(true);
    expect(await changesBy(payouts, stored._id, write)).toEqual([pushed]);
  });
});

describe("the end of a lease", () => {
  const exception = { kind: "stuck", since: after(5) } as const;
  it.each<[string, Release, string[]]>([
    [
      "until a time",
      { work: after(9), calls: [answer] },
      [
        "calls + { kind submit, at 1 s }, { kind answer, at 5 s, said accepted }",
        "no lease",
        "work_due_at = 9 s",
      ],
    ],
    [
      "without further work",
      { work: "done" },
      ["calls + { kind submit, at 1 s }", "no lease", "no work_due_at"],
    ],
    [
      "with an exception",
      { work: after(9), exception },
      [
        "calls + { kind submit, at 1 s }",
        "exception = { kind stuck, since 5 s }",
        "no lease",
        "revision = 5",
        "work_due_at = 9 s",
      ],
    ],
  ])("%s adds the calls that were not stored yet", async (_what, end, expected) => {
    const { stored, other } = await insert();
    const calls = [{ kind: "submit", at: after(1) }] as const;
    const held = { payout: toPayout(stored), leaseToken: "token-1", until: lease.until };
    const write = () => release(payouts, { ...held, origin: {}, calls }, end);
    expect(await changesBy(payouts, stored._id, write)).toEqual(expected);
    expect(await payouts.findOne({ _id: other._id })).toEqual(other);
    expect(await changesBy(payouts, stored._id, write)).toEqual([]);
  });
});

describe("a step", () => {
  const step: Step = { cause: "accepted", detail: "rail said so", at: after(5), work: after(9) };
  const advanced = (document: PayoutDocument, to: Progress, change: Partial<Step> = {}) =>
    advance(payouts, toPayout(document), to, { ...step, ...change });

  it("keeps the rail and the time of the first submission, and has the last 60 calls", async () => {
    const calls = Array.from({ length: 59 }, (_each, at) => ({ ...earlier, said: String(at) }));
    const { stored, other } = await insert({ calls });
    const write = async () => {
      const to = { stage: "submitting" } as const;
      const work = { leasedUntil: after(20) };
      const moved = await advanced(stored, to, { submitTo: "second", calls: [answer], work });
      expect(moved).toEqual({
        payout: { ...toPayout(stored), progress: to, revision: 5, updatedAt: after(5) },
      });
    };
    expect(await changesBy(payouts, stored._id, write)).toEqual([
      expect.stringMatching(/^calls = /),
      "journal + { stage submitting, version 1, at 5 s, cause accepted, detail rail said so }",
      "lease = { token token-1, until 20 s, place first:8080 }",
      "progress = { stage submitting }",
      "revision = 5",
      "updated_at = 5 s",
    ]);
    const kept = (await payouts.findOne({ _id: stored._id }))?.calls;
    expect(kept).toEqual([...calls.slice(1), answer, { kind: "submit", at: after(5) }]);
    expect(await payouts.findOne({ _id: other._id })).toEqual(other);
  });

  const settled = { kind: "settled", reference: "R" } as const;
  it.each<[Progress["stage"], Progress, Partial<Step>, string]>([
    ["processing", { stage: "unknown", asked: 1 }, {}, "up to revision 2000"],
    ["unknown", { stage: "processing" }, {}, "up to revision 2000"],
    ["unknown", { stage: "submitting" }, {}, "up to revision 2000"],
    ["processing", { stage: "concluding", outcome: settled }, {}, "always"],
    ["submitting", { stage: "submitting" }, {}, "never"],
    ["concluding", { stage: "concluding", outcome: settled }, {}, "never"],
    ["concluding", { stage: "concluding", outcome: settled }, { cause: "resolved" }, "always"],
  ])("from %s to %j with %j is in the history %s", async (stage, to, change, expected) => {
    const isRecordedAt = async (revision: number) => {
      const { stored } = await insert({ revision, progress: { stage } as Progress });
      await advanced(stored, to, change);
      return (await payouts.findOne({ _id: stored._id }))?.journal.length === 2;
    };
    expect([await isRecordedAt(2_000), await isRecordedAt(2_001)]).toEqual([
      expected !== "never",
      expected === "always",
    ]);
  });

  it("is in the history if it is the first submission, however late", async () => {
    const queued = storedPayout({ revision: 2_001, lease });
    await payouts.insertOne(queued);
    await advanced(queued, { stage: "submitting" }, { submitTo: "swift" });
    const found = await payouts.findOne({ _id: queued._id });
    expect(found?.journal.map(({ stage }) => stage)).toEqual(["queued", "submitting"]);
    expect(found).toMatchObject({ rail: "swift", submitted_at: after(5) });
  });

  it("names the reporting actor, and ends an exception and a wait", async () => {
    const { stored } = await insert({
      exception: { kind: "unknown", since: after(2) },
      uncleared: { status: "review", since: after(2) },
    });
    const actor = { kind: "service", id: "bank" } as const;
    const change = { by: { actor, operationId: "op_9" }, work: "done" } as const;
    const write = () => advanced(stored, { stage: "rejected" }, change);
    const [event] = stored.outbox;
    const id = event?.id.replace(/_1$/, "_2");
    expect(await changesBy(payouts, stored._id, write)).toEqual([
      "no exception",
      "journal + { stage rejected, version 2, at 5 s, cause accepted, detail rail said so, actor { kind service, id bank }, operation_id op_9 }",
      "no lease",
      `outbox + { id ${id}, key payout.failed, at 5 s, body … }`,
      "progress = { stage rejected }",
      "revision = 5",
      "status = failed",
      "no uncleared",
      "updated_at = 5 s",
      "version = 2",
      "no work_due_at",
    ]);
  });
});
