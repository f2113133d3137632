import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { hitsMax } from "../screening/rules/hit.ts";
import {
  importFiles,
  type ReviewRpc,
  type Rpc,
  refusalOf,
  screenName,
  subject,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import { officer } from "../test-review.ts";

let compliance: TestCompliance;
let rpc: Rpc;
let officers: ReviewRpc;
beforeAll(async () => {
  compliance = await testCompliance();
  rpc = await compliance.start();
  officers = compliance.officers();
});
afterAll(() => compliance.end());

/** Lists switch and events are published within a second, unless the machine is busy. */
const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000 });

const entryLine = (uid: string, name: string, more: object = {}) =>
  `${JSON.stringify({ uid, type: "individual", names: [{ name }], ...more })}\n`;
const other = entryLine("1", "Pirmolan Gevaskutir");
const namesake = entryLine("7", "Orlan Vessikar");
const reason = "another person, seen in both passports";

let version = 0;
const list = async (lines: string) => {
  version += 1;
  const header = { version: String(version), acceptDropReason: "a list of a few for a test" };
  await importFiles(rpc, header, { "": lines });
  await compliance.approveAll();
};
const proposeMatch = async (alertId: string) => {
  const decision = { alertId, decision: Decision.TRUE_MATCH, reason };
  const decided = officers.decideAlert({ ...officer("ada"), ...decision });
  expect(await refusalOf(decided)).toMatchObject({ code: "APPROVAL_REQUIRED" });
};
/** Two persons reopen an alert that two persons confirmed. */
const takeBack = async (alertId: string) => {
  const reopening = officers.reopenAlert({ ...officer("eve"), alertId, reason });
  expect(await refusalOf(reopening)).toMatchObject({ code: "APPROVAL_REQUIRED" });
  expect(await compliance.approveAll()).toBe(1);
};
const alertsOf = async (recordId: string, states: AlertState[] = []) =>
  (await officers.listAlerts({ recordId, states })).alerts;
const verdictOf = async (recordId: string) =>
  (await rpc.listScreenings({ recordId, limit: 1 })).screenings[0]?.verdict;
const published = () => compliance.events.map(({ verdict }) => verdict);

it("decisions hold as long as party and entry stay, and every verdict is published", async () => {
  const { recordId } = subject;
  await list(other + namesake);
  await soon(async () => {
    expect((await screenName(rpc, "Orlan Vessikar"))?.verdict).toBe(Verdict.BLOCK);
  });
  const [first] = await alertsOf(recordId);
  const alertId = first?.id ?? "";
  await officers.decideAlert({
    ...officer("ada"),
    ...{ alertId, decision: Decision.FALSE_POSITIVE, reason },
  });
  expect(await verdictOf(recordId)).toBe(Verdict.CLEAR);
  await soon(() => expect(published()).toEqual([Verdict.CLEAR]));

  // The owner requests a screening of an unchanged party.
  const again = await screenName(rpc, "ORLAN VESSIKAR");
  expect(again).toMatchObject({ verdict: Verdict.CLEAR, hits: [{ dismissed: true, alertId }] });

  // The entry changes, so an officer must decide again.
  await list(other + entryLine("7", "Orlan Vessikar", { dob: ["1961-02-03"] }));
  await soon(() => expect(published()).toEqual([Verdict.CLEAR, Verdict.BLOCK]));
  await soon(async () => {
    const [waiting, ...more] = await alertsOf(recordId);
    expect([waiting?.state, more.length]).toEqual([AlertState.OPEN, 0]);
    expect(waiting?.id).not.toBe(alertId);
    expect((await alertsOf(recordId, [AlertState.CLOSED])).map(({ id }) => id)).toEqual([alertId]);
  });

  // The entry is unchanged again, so the earlier decision applies.
  await list(other + namesake);
  await soon(() => expect(published()).toEqual([Verdict.CLEAR, Verdict.BLOCK, Verdict.CLEAR]));
  await soon(async () => {
    const known = await alertsOf(recordId, [AlertState.FALSE_POSITIVE]);
    expect(known.map(({ id }) => id)).toEqual([alertId]);
    expect(await alertsOf(recordId)).toEqual([]);
  });

  // The party changes, so the decision about it lapses.
  const changed = await screenName(rpc, "Orlan Vessikar", { date: "1990-05-05" });
  expect(changed?.verdict).toBe(Verdict.BLOCK);
});

it("a confirmed match stops a party until two persons take it back", async () => {
  const { recordId } = subject;
  await list(other + entryLine("8", "Tavrik Ondosel", { dob: ["1950-01-01"] }));
  await soon(async () => {
    const screening = await screenName(rpc, "Tavrik Ondosel", { date: "1990-05-05" });
    expect(screening?.verdict).toBe(Verdict.REVIEW);
  });
  const [{ id: alertId = "" } = {}] = await alertsOf(recordId);
  const before = compliance.events.length;
  await proposeMatch(alertId);
  expect(await verdictOf(recordId)).toBe(Verdict.REVIEW);
  expect(await compliance.approveAll()).toBe(1);
  expect(await verdictOf(recordId)).toBe(Verdict.BLOCK);
  const [stopped] = (await rpc.listScreenings({ recordId, limit: 1 })).screenings;
  expect(stopped).toMatchObject({ trigger: "decision", hits: [{ alertId, dismissed: false }] });

  // The entry is still listed, under a name that does not match the party.
  await list(other + entryLine("8", "Ulvanka Drostig"));
  await soon(async () => {
    const [last] = (await rpc.listScreenings({ recordId, limit: 1 })).screenings;
    expect(last).toMatchObject({ trigger: "list_change", verdict: Verdict.BLOCK, hits: [] });
  });
  const confirmed = await alertsOf(recordId, [AlertState.TRUE_MATCH]);
  expect(confirmed.map(({ id }) => id)).toEqual([alertId]);

  // Neither a list without the entry nor another party of the record closes it.
  await list(other);
  expect((await screenName(rpc, "Harlan Mosswick"))?.verdict).toBe(Verdict.BLOCK);
  expect(published().slice(before)).toEqual([Verdict.BLOCK]);
  await takeBack(alertId);
  await soon(() => expect(published().slice(before)).toEqual([Verdict.BLOCK, Verdict.CLEAR]));
  await soon(async () => {
    const closed = await alertsOf(recordId, [AlertState.CLOSED]);
    expect(closed.map(({ id }) => id)).toContain(alertId);
  });
});

it("a name that nothing can be compared with is decided by people", async () => {
  await list(other);
  const { recordId } = subject;
  const decide = (alertId: string, decision: Decision) =>
    officers.decideAlert({ ...officer("ada"), alertId, decision, reason });
  const screening = await screenName(rpc, "☂☂");
  expect(screening).toMatchObject({
    verdict: Verdict.REVIEW,
    hits: [{ list: "", entryUid: "unreadable-name", dismissed: false }],
  });
  const [waiting, ...more] = await alertsOf(recordId);
  expect(more).toEqual([]);
  const alertId = waiting?.id ?? "";
  expect(screening?.hits[0]?.alertId).toBe(alertId);
  const { alert } = await officers.getAlert({ alertId });
  expect(alert?.hit?.reasons[0]?.text).toContain("no letters that screening can compare");
  await decide(alertId, Decision.FALSE_POSITIVE);
  expect(await verdictOf(recordId)).toBe(Verdict.CLEAR);
  expect(await screenName(rpc, "☂☂")).toMatchObject({ verdict: Verdict.CLEAR });

  // A different name needs a new decision; two persons have decided about this one.
  expect(await screenName(rpc, "☂☔")).toMatchObject({ verdict: Verdict.REVIEW });
  const [{ id: anotherId = "" } = {}] = await alertsOf(recordId);
  expect(anotherId).not.toBe(alertId);
  await proposeMatch(anotherId);
  expect(await verdictOf(recordId)).toBe(Verdict.REVIEW);
  expect(await compliance.approveAll()).toBe(1);
  expect(await verdictOf(recordId)).toBe(Verdict.BLOCK);

  expect(await screenName(rpc, "Harlan Mosswick")).toMatchObject({ verdict: Verdict.BLOCK });
  await takeBack(anotherId);
  expect(await screenName(rpc, "Harlan Mosswick")).toMatchObject({ verdict: Verdict.CLEAR });
  expect(await alertsOf(recordId)).toEqual([]);
});

it("a party with more namesakes than a screening lists is cleared when all are decided", async () => {
  const { recordId } = subject;
  const namesakes = Array.from({ length: hitsMax + 2 }, (_each, at) =>
    entryLine(`n${at}`, "Meldrik Ostavan"),
  );
  await list(other + namesakes.join(""));
  await soon(async () => {
    expect((await screenName(rpc, "Meldrik Ostavan"))?.hits).toHaveLength(hitsMax);
  });
  let decided = 0;
  for (let waiting = await alertsOf(recordId); waiting.length > 0; ) {
    expect(await verdictOf(recordId)).toBe(Verdict.BLOCK);
    for (const { id: alertId } of waiting) {
      const decision = { alertId, decision: Decision.FALSE_POSITIVE, reason };
      await officers.decideAlert({ ...officer("ada"), ...decision });
      decided += 1;
    }
    waiting = await alertsOf(recordId);
  }
  expect(decided).toBe(namesakes.length);
  expect(await verdictOf(recordId)).toBe(Verdict.CLEAR);
});
