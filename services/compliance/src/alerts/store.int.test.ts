import { randomBytes } from "node:crypto";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hitsMax } from "../screening/rules/hit.ts";
import type { Subject } from "../screening/rules/screening.ts";
import {
  hitOf,
  officer,
  party,
  requestOf,
  subjectOf,
  type TestReview,
  testReview,
} from "../test-review.ts";
import { subjectAlerts } from "./raising.ts";
import { pendingKinds } from "./rules/alert.ts";
import { openAlertStore, pageOf } from "./store.ts";

const key = (name: string) => `${name}:${randomBytes(32).toString("base64")}`;
const [oldKey, newKey] = [key("k1"), key("k2")];
let review: TestReview;
beforeAll(async () => {
  review = await testReview(oldKey);
});
afterAll(() => review.end());

const reason = "a person of another name, Marlo Quint";
const decide = (alertId: string, decision: Decision = Decision.FALSE_POSITIVE) =>
  review.rpc.decideAlert({ ...officer("ada"), alertId, decision, reason });
const kinds = [...pendingKinds, "false_positive", "true_match", "closed"] as const;
const statesOf = async (subject: Subject) => {
  const found = await review.alerts.ofSubject(subject, kinds);
  return found.map(({ alert }) => `${alert.detection.hit.entryUid} ${alert.state.kind}`).toSorted();
};

describe("the alerts of a subject follow its screenings", () => {
  it("opens one for each hit, refreshes it, closes it, and opens it again", async () => {
    const subject = subjectOf();
    const first = await review.screen(subject, [hitOf("7"), hitOf("8")]);
    expect(await statesOf(subject)).toEqual(["7 open", "8 open"]);
    const second = await review.screen(subject, [hitOf("7", { score: 0.95 })]);
    expect(await statesOf(subject)).toEqual(["7 open", "8 closed"]);
    const alertId = first.hits[0]?.alertId ?? "";
    const { alert } = await review.rpc.getAlert({ alertId });
    expect([alert?.screeningId, alert?.hit?.score]).toEqual([second.id, 0.95]);
    await review.screen(subject, [hitOf("8")]);
    expect(await statesOf(subject)).toEqual(["7 closed", "8 open"]);
  });

  it("a party that changed, or an entry that did, is another alert", async () => {
    const subject = subjectOf();
    await review.screen(subject, [hitOf("7")]);
    await review.screen(subject, [hitOf("7")], requestOf("Orlan Vessik-Marr"));
    expect(await statesOf(subject)).toEqual(["7 closed", "7 open"]);
    await review.screen(subject, [hitOf("7", { entryFingerprint: "changed" })]);
    expect(await statesOf(subject)).toEqual(["7 closed", "7 closed", "7 open"]);
  });

  it("each party and each wallet of a company has its own", async () => {
    const subject = subjectOf();
    const wallets = [{ families: ["evm" as const], address: `0x${"ab".repeat(20)}` }];
    const request = { parties: [party("Orlan Vessik"), party("Marlo Quint")], wallets };
    const hits = [0, 1, 2].map((subjectIndex) => hitOf("7", { subjectIndex }));
    const { hits: found } = await review.screen(subject, hits, request);
    expect(new Set(found.map(({ alertId }) => alertId)).size).toBe(3);
    await decide(found[2]?.alertId ?? "");
    expect(await statesOf(subject)).toEqual(["7 false_positive", "7 open", "7 open"]);
    const swapped = { ...request, parties: request.parties.toReversed() };
    await review.screen(subject, hits, swapped);
    expect(await statesOf(subject)).toEqual(["7 false_positive", "7 open", "7 open"]);
  });

  it("a late, older revision changes nothing", async () => {
    const subject = subjectOf();
    const old = await review.screen(subject, [hitOf("7")]);
    await review.screen(subject, []);
    const request = requestOf("Orlan Vessik");
    await review.raising.raise({ subject, revision: 1, request, screening: old });
    expect(await statesOf(subject)).toEqual(["7 closed"]);
  });

  it("ten raises of one screening at once make one alert", async () => {
    const subject = subjectOf();
    const screening = await review.screen(subject, [hitOf("7")]);
    await review.database.db.collection("alerts").deleteMany({ record_id: subject.recordId });
    const raised = { subject, revision: 1, request: requestOf("Orlan Vessik"), screening };
    await Promise.all(Array.from({ length: 10 }, () => review.raising.raise(raised)));
    expect(await statesOf(subject)).toEqual(["7 open"]);
  });

  /** A subject with one alert that two persons confirmed. */
  async function confirmed(uid: string) {
    const subject = subjectOf();
    const { hits } = await review.screen(subject, [hitOf(uid)]);
    const alertId = hits[0]?.alertId ?? "";
    await review.trueMatch(alertId, reason);
    return { subject, alertId };
  }

  it("a confirmed match stays although it is neither found nor listed any more", async () => {
    const { subject } = await confirmed("71");
    for (const hits of [[], [hitOf("71")], []]) {
      expect((await review.screen(subject, hits)).verdict).toBe("block");
      expect(await statesOf(subject)).toEqual(["71 true_match"]);
    }
    review.removed.add("71");
    expect((await review.screen(subject, [])).verdict).toBe("block");
    expect((await review.screen(subject, [], requestOf("Somebody Else"))).verdict).toBe("block");
    expect(await statesOf(subject)).toEqual(["71 true_match"]);
  });

  it("a confirmed match stays beside the alert of its changed entry until it is reopened", async () => {
    const { subject, alertId } = await confirmed("72");
    const changed = hitOf("72", { entryFingerprint: "changed" });
    const { hits, verdict } = await review.screen(subject, [changed]);
    expect(verdict).toBe("block");
    expect(await statesOf(subject)).toEqual(["72 open", "72 true_match"]);
    await decide(hits[0]?.alertId ?? "");
    expect(review.verdictOf(subject)).toBe("block");
    await review.rpc.reopenAlert({ ...officer("eve"), alertId, reason: "another entry by now" });
    expect(review.verdictOf(subject)).toBe("clear");
    expect(await statesOf(subject)).toEqual(["72 closed", "72 false_positive"]);
  });

  it("a finding that may be cut closes nothing", async () => {
    const subject = subjectOf();
    await review.screen(subject, [hitOf("7")]);
    const many = Array.from({ length: hitsMax }, (_each, at) => hitOf(`n${at}`));
    await review.screen(subject, many);
    expect(await statesOf(subject)).toContain("7 open");
  });

  it("decisions are found after a rotation of the keys", async () => {
    const subject = subjectOf();
    const { hits: known } = await review.screen(subject, [hitOf("7")]);
    await decide(known[0]?.alertId ?? "");
    const keys = `${newKey},${oldKey}`;
    const store = openAlertStore(review.database, createSealer(keys));
    const clock = { now: () => new Date() };
    const isListed = async () => true;
    const hashes = createKeyedHashes(keys, "alerts");
    const rotated = subjectAlerts({ store, keys: hashes, isListed, clock });
    const request = requestOf("Orlan Vessik");
    const hits = [hitOf("7"), hitOf("8")];
    const found = { request, hits, isFirst: false };
    const { ofHits } = await rotated.decisionsOf(subject, found);
    expect(ofHits.map(({ disposition }) => disposition)).toEqual(["false_positive", "undecided"]);
    expect(ofHits[0]?.alertId).toBe(known[0]?.alertId);
  });
});

describe("a list of alerts", () => {
  it("shows those that wait longest first, in pages", async () => {
    const subject = subjectOf();
    const uids = ["1", "2", "3", "4", "5"];
    for (const at of uids.keys()) {
      await review.screen(
        subject,
        uids.slice(0, at + 1).map((uid) => hitOf(uid)),
      );
    }
    const shown: (string | undefined)[] = [];
    for (let cursor: string | undefined; cursor !== ""; ) {
      const request = { recordId: subject.recordId, limit: 2, ...(cursor && { cursor }) };
      const page = await review.rpc.listAlerts(request);
      expect(page.alerts.length).toBeLessThanOrEqual(2);
      shown.push(...page.alerts.map(({ hit }) => hit?.entryUid));
      cursor = page.nextCursor;
    }
    expect(shown).toEqual(uids);
  });

  it("filters by state, person, merchant and record; shows pending alerts by default", async () => {
    const subject = { merchantId: "mer_2", recordId: subjectOf().recordId };
    const { hits } = await review.screen(subject, [hitOf("7"), hitOf("8"), hitOf("9")]);
    const [first = "", second = ""] = hits.map(({ alertId }) => alertId);
    await decide(first);
    await review.rpc.assignAlert({ ...officer("ada"), alertId: second, assignee: "zoe" });
    const ids = async (request: object) =>
      (await review.rpc.listAlerts(request)).alerts.map(({ hit }) => hit?.entryUid).toSorted();
    expect(await ids({ merchantId: "mer_2" })).toEqual(["8", "9"]);
    expect(await ids({ recordId: subject.recordId })).toEqual(["8", "9"]);
    expect(await ids({ assignee: "zoe" })).toEqual(["8"]);
    const decided = { states: [AlertState.FALSE_POSITIVE], merchantId: "mer_2" };
    expect(await ids(decided)).toEqual(["7"]);
    expect(await ids({ ...decided, assignee: "zoe" })).toEqual([]);
  });

  const any = {
    ...{ states: [...pendingKinds], assignee: "", merchantId: "", recordId: "" },
    ...{ list: "", scoreFrom: 0 },
  };
  it.each([
    ["what waits", any],
    ["one state", { ...any, states: ["false_positive" as const] }],
    ["a person's", { ...any, assignee: "ada" }],
    ["a merchant's", { ...any, merchantId: "mer_1" }],
    ["a record's", { ...any, recordId: "ben_1" }],
    ["a record's of a merchant", { ...any, merchantId: "mer_1", recordId: "ben_1" }],
    ["a list's", { ...any, list: "invented" }],
    ["a score", { ...any, scoreFrom: 0.8 }],
  ])("of %s is read from an index, in its order", async (_what, filter) => {
    for (const after of [undefined, { at: new Date(), id: "alr_1" }]) {
      const alerts = review.database.db.collection("alerts");
      const order = { waiting_since: 1, _id: 1 } as const;
      const page = alerts
        .find(pageOf(filter, after) as object)
        .sort(order)
        .limit(21);
      const plan = JSON.stringify((await page.explain("queryPlanner")).queryPlanner.winningPlan);
      expect(plan).toContain("IXSCAN");
      expect(plan).not.toContain("COLLSCAN");
      expect(plan).not.toContain('"SORT"');
    }
  });

  it.each([
    ["what the audit trail lacks", { "pending_audit.at": { $gt: new Date(0) } }],
    ["what verdicts do not follow", { verdict_due: { $gt: 0 } }],
    ["an operation", { "actions.operation": "op-1" }],
    ["a subject's", { merchant_id: "mer_1", record_id: "ben_1", state: { $in: ["open"] } }],
  ])("an index serves %s", async (_what, filter) => {
    const found = review.database.db.collection("alerts").find(filter);
    const plan = JSON.stringify((await found.explain("queryPlanner")).queryPlanner.winningPlan);
    expect(plan).not.toContain("COLLSCAN");
  });
});

it("keeps nothing in the clear that names the party or quotes a reason", async () => {
  const subject = subjectOf();
  const { hits } = await review.screen(subject, [hitOf("7")]);
  const alertId = hits[0]?.alertId ?? "";
  await decide(alertId, Decision.ESCALATED);
  const { db } = review.database;
  const raw = [
    ...(await db.collection<{ _id: string }>("alerts").find({ _id: alertId }).toArray()),
    ...(await db.collection("audit_entries").find({ subject: alertId }).toArray()),
  ];
  expect(raw).toHaveLength(2);
  const text = JSON.stringify(raw).toLowerCase();
  for (const plain of ["orlan", "marlo quint"]) expect(text).not.toContain(plain);
  expect(text).toContain("alert.escalated");
});
