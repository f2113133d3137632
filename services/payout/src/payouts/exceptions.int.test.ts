import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import {
  type Decision,
  decide,
  exceptionFilter,
  listExceptions,
  readResolvable,
} from "./exceptions.ts";
import type { ExceptionKind } from "./rules/exception.ts";
import { openPayouts } from "./store.ts";
import { after, changesBy, storedPayout } from "./test-documents.ts";

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

async function insert(change: Partial<PayoutDocument>): Promise<PayoutDocument> {
  const document = storedPayout(change);
  await payouts.insertOne(document);
  return document;
}

describe("payouts with an exception", () => {
  const withException = (_id: string, kind: ExceptionKind, seconds: number) =>
    storedPayout({ _id, exception: { kind, since: after(seconds) } });

  it.each<[ExceptionKind | undefined, string]>([
    [undefined, "po_e po_a po_b po_c po_d po_0"],
    ["unknown", "po_e po_b po_c po_0"],
    ["stuck", "po_a po_d"],
    ["contradicted", ""],
  ])(
    "of kind %s are in pages of any size, the oldest first, where no index has an order",
    async (kind, expected) => {
      const plain: Payouts = database.db.collection(`without_index_${kind}`);
      await plain.insertMany([
        withException("po_0", "unknown", 3),
        withException("po_c", "unknown", 2),
        withException("po_a", "stuck", 2),
        withException("po_d", "stuck", 2),
        withException("po_b", "unknown", 2),
        withException("po_e", "unknown", 1),
        storedPayout({ _id: "po_none" }),
      ]);
      for (const limit of [1, 2, 5, 10]) {
        const seen: string[] = [];
        let last: { at: Date; id: string } | undefined;
        for (;;) {
          const page = await listExceptions(plain, kind, { after: last, limit });
          seen.push(...page.map(({ id }) => id));
          const end = page.at(-1);
          if (page.length < limit || end?.exception === undefined) break;
          last = { at: end.exception.since, id: end.id };
        }
        expect(seen.join(" ")).toBe(expected);
      }
    },
  );

  it("are read from their index, however far down the page is", async () => {
    const kind = "unknown";
    const many = Array.from({ length: 100 }, (_each, at) => withException(`po_${at}`, kind, at));
    await payouts.insertMany(many);
    for (const at of [0, 50, 89]) {
      const { executionStats } = await payouts
        .find(exceptionFilter(kind, { at: after(at), id: `po_${at}` }))
        .sort({ "exception.since": 1, _id: 1 })
        .limit(10)
        .explain("executionStats");
      expect(executionStats.nReturned).toBe(10);
      expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(12);
    }
    await payouts.deleteMany({});
  });
});

describe("a payout to resolve", () => {
  const until = after(10);
  const lease = { token: "t", until, place: "first:8080" };
  const submitting = { stage: "submitting" } as const;

  it.each([
    ["is being sent under a lease", { lease, progress: submitting }, 9.999, true],
    ["is not, where the lease has ended", { lease, progress: submitting }, 10, false],
    ["is not, without a lease", { progress: submitting }, 0, false],
    ["is not, where it was sent", { lease, progress: { stage: "processing" } as const }, 0, false],
  ])("%s", async (_what, change, seconds, isBeingSent) => {
    const stored = await insert(change);
    expect(await readResolvable(payouts, stored._id, "rsl_1", after(seconds))).toStrictEqual({
      ...{ payout: toPayout(stored), decided: undefined, isBeingSent },
    });
  });

  it("has the effect of each resolution that was decided", async () => {
    const { _id } = await insert({
      resolutions: [
        { id: "rsl_1", effect: "superseded" },
        { id: "rsl_2", effect: "applied" },
      ],
    });
    const outcomeOf = async (id: string) =>
      (await readResolvable(payouts, _id, id, after(0)))?.decided;
    expect(await outcomeOf("rsl_1")).toBe("superseded");
    expect(await outcomeOf("rsl_2")).toBe("applied");
    expect(await outcomeOf("rsl_3")).toBeUndefined();
    expect(await readResolvable(payouts, "po_none", "rsl_1", after(0))).toBeUndefined();
  });
});

describe("the write of a resolution", () => {
  const by = { actor: { kind: "operator", id: "bob" }, operationId: "op_7" } as const;
  const step = { at: after(60), detail: "resolved as rejected", by };
  const to = { stage: "concluding", outcome: { kind: "rejected" } } as const;
  const journal = (stage: string) =>
    `journal + { stage ${stage}, version 1, at 60 s, cause resolved, detail resolved as rejected, actor { kind operator, id bob }, operation_id op_7 }`;

  it.each<[string, Decision, string[]]>([
    [
      "that moves the payout",
      { kind: "moves", to, step },
      [
        "no exception",
        journal("concluding"),
        "no lease",
        "progress = { stage concluding, outcome { kind rejected } }",
        "resolutions = [{ id rsl_1, effect applied }]",
        "revision = 8",
        "updated_at = 60 s",
        "work_due_at = 60 s",
      ],
    ],
    [
      "that ends the exception alone",
      { kind: "stands", step },
      [
        "no exception",
        journal("unknown"),
        "resolutions = [{ id rsl_1, effect applied }]",
        "revision = 8",
      ],
    ],
    [
      "that comes too late",
      { kind: "superseded" },
      ["resolutions = [{ id rsl_1, effect superseded }]", "revision = 8"],
    ],
  ])("%s is one, by the revision that was read", async (_what, decision, expected) => {
    const stored = await insert({
      ...{ progress: { stage: "unknown", asked: 3 }, revision: 7, rail: "swift" },
      ...{ submitted_at: after(1), exception: { kind: "unknown", since: after(5) } },
      lease: { token: "t", until: after(70), place: "first:8080" },
    });
    const other = await insert({ revision: 7 });
    const write = () => decide(payouts, toPayout(stored), "rsl_1", decision);
    expect(await changesBy(payouts, stored._id, write)).toEqual(expected);
    expect(await write()).toBe(false);
    expect(await payouts.findOne({ _id: other._id })).toEqual(other);
    const again = toPayout((await payouts.findOne({ _id: stored._id })) as PayoutDocument);
    expect(await decide(payouts, again, "rsl_2", decision)).toBe(true);
  });
});
