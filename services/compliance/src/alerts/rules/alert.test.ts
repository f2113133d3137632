import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { ScreeningHit } from "../../screening/rules/hit.ts";
import {
  type Alert,
  type AlertChange,
  type AlertState,
  assignedTo,
  type Detection,
  decidedBy,
  dispositionOf,
  missed,
  opened,
  type ReviewedBy,
  redetected,
  reopenedBy,
} from "./alert.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const act = (person: string, minute = 9): ReviewedBy => ({
  person,
  operation: `op-${person}-${minute}`,
  at: at(minute),
});

const hit: ScreeningHit = {
  ...{ list: "invented", listVersion: "1", entryUid: "7", entryFingerprint: "f" },
  ...{ entryType: "individual", source: "", programs: [], subjectIndex: 0 },
  ...{ matchedName: "Orlan Vessik", score: 0.9, nameScore: 0.9, verdict: "review" },
  ...{ reasons: [], parts: [], partyLeftOver: [], entryLeftOver: [] },
};
const detection: Detection = { screeningId: "scr_1", revision: 3, hit, party: "Orlan Vessik" };
const fresh = opened(
  { id: "alr_1", subject: { merchantId: "mer_1", recordId: "ben_1" }, partyKey: "p" },
  detection,
  at(1),
);

const rationale = { by: act("ada", 2), reason: "compared the passports" };
const states = {
  open: { kind: "open" },
  escalated: { kind: "escalated", ...rationale },
  false_positive: { kind: "false_positive", ...rationale },
  true_match: { kind: "true_match", ...rationale, confirmed: "bob" },
  closed: { kind: "closed", before: { kind: "open" }, at: at(4) },
} as const satisfies Record<string, AlertState>;
type Kind = keyof typeof states;
const kinds = Object.keys(states) as Kind[];
const inState = (kind: Kind): Alert => ({ ...fresh, state: states[kind] });

/** Applies a rule to each state: returns the state after it, or the refusal. */
function outcomes(
  rule: (alert: Alert) => AlertChange | { refused: string },
): Record<string, string> {
  const outcome = (kind: Kind) => {
    const changed = rule(inState(kind));
    return isRefused(changed) ? changed.refused : (changed as AlertChange).alert.state.kind;
  };
  return Object.fromEntries(kinds.map((kind) => [kind, outcome(kind)]));
}

const no = "INVALID_REQUEST";

describe("the allowed actions in each state of an alert", () => {
  const reason = "another birth date";
  const cases: [
    string,
    (alert: Alert) => AlertChange | { refused: string },
    Record<Kind, string>,
  ][] = [
    [
      "assign",
      (alert) => assignedTo(alert, "eve", act("ada")),
      {
        ...{ open: "open", escalated: "escalated" },
        ...{ false_positive: no, true_match: no, closed: no },
      },
    ],
    [
      "dismiss as a false positive",
      (alert) => decidedBy(alert, "false_positive", reason, act("ada")),
      {
        ...{ open: "false_positive", escalated: "false_positive" },
        ...{ false_positive: no, true_match: no, closed: no },
      },
    ],
    [
      "decide as a true match, with a second person",
      (alert) => decidedBy(alert, "true_match", reason, act("ada"), "bob"),
      {
        ...{ open: "true_match", escalated: "true_match" },
        ...{ false_positive: no, true_match: no, closed: no },
      },
    ],
    [
      "decide as a true match, alone",
      (alert) => decidedBy(alert, "true_match", reason, act("ada")),
      {
        ...{ open: "ACCESS_FORBIDDEN", escalated: "ACCESS_FORBIDDEN" },
        ...{ false_positive: no, true_match: no, closed: no },
      },
    ],
    [
      "escalate",
      (alert) => decidedBy(alert, "escalated", reason, act("ada")),
      {
        ...{ open: "escalated", escalated: "escalated" },
        ...{ false_positive: no, true_match: no, closed: no },
      },
    ],
    [
      "reopen, as who proposed it",
      (alert) => reopenedBy(alert, reason, act("ada"), true),
      {
        ...{ open: no, escalated: "open" },
        ...{ false_positive: "open", true_match: "open", closed: no },
      },
    ],
    [
      "reopen, though another person confirmed it since it was requested",
      (alert) => reopenedBy(alert, reason, act("ada"), false),
      {
        ...{ open: no, escalated: "open" },
        ...{ false_positive: "open", true_match: no, closed: no },
      },
    ],
    [
      "reopen, as who confirmed it, in capitals",
      (alert) => reopenedBy(alert, reason, act("BOB"), true),
      {
        ...{ open: no, escalated: "open" },
        ...{ false_positive: "open", true_match: no, closed: no },
      },
    ],
  ];
  it.each(cases)("%s", (_what, rule, expected) => {
    expect(outcomes(rule)).toEqual(expected);
  });
});

describe("the stored data of an action", () => {
  it("the person, the decision and the reason", () => {
    const by = act("eve");
    const reason = "born in another century";
    expect(decidedBy(fresh, "false_positive", reason, by)).toEqual({
      alert: { ...fresh, state: { kind: "false_positive", by, reason }, updatedAt: by.at },
      action: "alert.false_positive",
      detail: reason,
    });
  });

  it("both persons of a true match, and the first one's reason", () => {
    const { by, reason } = rationale;
    const decided = decidedBy(fresh, "true_match", reason, by, "bob") as AlertChange;
    expect(decided.alert.state).toEqual({ kind: "true_match", ...rationale, confirmed: "bob" });
    expect(decided).toMatchObject({
      action: "alert.true_match",
      detail: `approved by bob: ${reason}`,
    });
  });

  it("the assignee, whatever is decided later", () => {
    const { alert, ...kept } = assignedTo(fresh, "eve", act("ada")) as AlertChange;
    expect(kept).toEqual({ action: "alert.assigned", detail: "eve" });
    const decided = decidedBy(alert, "escalated", "for the lawyers", act("eve")) as AlertChange;
    expect(decided.alert.assignee).toBe("eve");
  });

  it("the start of its wait: the creation, or the reopening of a decision", () => {
    const again = (kind: Kind) =>
      reopenedBy(inState(kind), "a new document", act("eve"), false) as AlertChange;
    expect(again("escalated").alert.waitingSince).toEqual(at(1));
    expect(again("false_positive").alert.waitingSince).toEqual(at(9));
  });
});

it("only a decision that is in effect changes the verdict", () => {
  expect(kinds.map((kind) => [kind, dispositionOf(states[kind])])).toEqual([
    ["open", "undecided"],
    ["escalated", "undecided"],
    ["false_positive", "false_positive"],
    ["true_match", "true_match"],
    ["closed", "undecided"],
  ]);
});

describe("a later screening", () => {
  const later = { ...detection, screeningId: "scr_2", revision: 4 };
  const absence = { isTruncated: false, hasParty: true, isListed: true };
  const removed = { ...absence, isListed: false };
  const gone = (alert: Alert) => missed(alert, removed, 4, at(5));

  it.each(kinds.filter((kind) => kind !== "closed"))("that finds a hit again leaves %s", (kind) => {
    const found = redetected(inState(kind), later, at(5));
    expect(found).toEqual({ ...inState(kind), detection: later });
  });

  it("of a list without the entry closes the alert, but for what two persons confirmed", () => {
    for (const kind of ["open", "escalated", "false_positive"] as const) {
      const before = states[kind];
      expect(gone(inState(kind))?.state).toEqual({ kind: "closed", before, at: at(5) });
    }
    expect(gone(inState("closed"))).toBeUndefined();
    expect(gone(inState("true_match"))).toBeUndefined();
  });

  it("restores the decision when the same hit returns", () => {
    for (const kind of ["open", "escalated", "false_positive"] as const) {
      const closed = gone(inState(kind)) as Alert;
      const back = redetected(closed, { ...later, revision: 5 }, at(6));
      expect(back?.state).toEqual(states[kind]);
      expect(back?.waitingSince).toEqual(kind === "false_positive" ? at(1) : at(6));
    }
  });

  it("changes nothing after a newer one", () => {
    expect(redetected(fresh, { ...later, revision: 3 }, at(5))).toBeUndefined();
    expect(missed(fresh, removed, 3, at(5))).toBeUndefined();
    const closed = gone(fresh) as Alert;
    expect(redetected(closed, { ...later, revision: 4 }, at(6))).toBeUndefined();
  });

  const absences: [string, Partial<typeof absence>, Kind[]][] = [
    ["the party changed", { hasParty: false, isTruncated: true }, ["true_match"]],
    ["the entry was removed", { isListed: false, isTruncated: true }, ["true_match"]],
    [
      "more was found than is listed",
      { isTruncated: true },
      ["open", "false_positive", "true_match"],
    ],
    ["the lists grew, or the matcher's numbers changed", {}, ["true_match"]],
  ];
  it.each(absences)("keeps an alert whose hit may still exist: %s", (_what, change, expected) => {
    const left = (["open", "false_positive", "true_match"] as const).filter(
      (kind) => missed(inState(kind), { ...absence, ...change }, 4, at(5)) === undefined,
    );
    expect(left).toEqual(expected);
  });
});
