import { describe, expect, it } from "vitest";
import {
  isSameReplay,
  type ReplayRequest,
  replayTerms,
  transitionAfterPage,
  transitionWhileNotLive,
} from "./replay.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);
const days30 = 30 * 86_400_000;
const request: ReplayRequest = {
  endpointId: "whe_1",
  since: at(-3_600_000),
  until: at(-1_000),
  states: ["exhausted"],
  eventTypes: ["refund", "*"],
  rate: 10,
};

describe("the terms of a replay", () => {
  it.each([
    ["as requested", -3_600_000, -1_000, -1_000],
    ["now when left out", -3_600_000, undefined, 0],
    ["now when it is later", -3_600_000, 1, 0],
    ["now when it is now", -1, 0, 0],
    ["30 days after since", -days30, undefined, 0],
    ["30 days after since, long ago", -2 * days30, -days30, -days30],
  ])("until: %s", (_name, since, until, expected) => {
    const from = { ...request, since: at(since), until: until === undefined ? until : at(until) };
    expect(replayTerms(from, now)).toEqual({ ...from, until: at(expected) });
  });

  it.each([
    ["since: must be in the past", 0, undefined],
    ["since: must be in the past", 1, 2],
    ["until: must be after since", -1_000, -1_000],
    ["until: must be after since", -1_000, -1_001],
    ["since: must be at most 30 days before until", -days30 - 1, undefined],
    ["since: must be at most 30 days before until", -days30 - 1, 5],
    ["since: must be at most 30 days before until", -2 * days30, -days30 + 1],
  ])("refused: %s", (problem, since, until) => {
    const from = { ...request, since: at(since), until: until === undefined ? until : at(until) };
    const [violation] = [replayTerms(from, now)].flat();
    expect(violation).toMatchObject({
      field: problem.split(":")[0],
      problem: problem.split(": ")[1],
    });
  });
});

describe("two replays", () => {
  const terms = { ...request, until: at(0) };

  it("are equal if their terms are, regardless of the order of states", () => {
    const both = { ...terms, states: ["exhausted", "delivered"] } as const;
    expect(isSameReplay(both, { ...both, states: ["delivered", "exhausted"] })).toBe(true);
    expect(isSameReplay(terms, { ...terms, since: new Date(terms.since) })).toBe(true);
    expect(isSameReplay(terms, { ...terms, eventTypes: ["*", "refund"] })).toBe(true);
  });

  it.each([
    { endpointId: "whe_2" },
    { since: at(-3_600_001) },
    { until: at(1) },
    { states: ["delivered"] as const },
    { states: ["exhausted", "delivered"] as const },
    { eventTypes: [] },
    { eventTypes: ["refund"] },
    { rate: 11 },
  ])("are different if one has %j", (change) => {
    expect(isSameReplay(terms, { ...terms, ...change })).toBe(false);
  });
});

it("ends after its last page, and goes on a second after another one", () => {
  expect(transitionAfterPage(true, now)).toEqual({ state: "done" });
  expect(transitionAfterPage(false, now)).toEqual({ state: "running", nextPageAt: at(1_000) });
});

it("of an endpoint that is not live is rechecked after 10 s", () => {
  expect(transitionWhileNotLive(now)).toEqual({ state: "running", nextPageAt: at(10_000) });
});
