import { describe, expect, it } from "vitest";
import { type HistoryCause, type TimelineStep, timelineOf } from "./timeline.ts";

type Step = readonly [TimelineStep["stage"], HistoryCause];

function story(...listed: Step[]): string {
  const steps = listed.map(([stage, cause], at) => ({
    ...{ stage, cause, version: at + 1, at: new Date(at) },
  }));
  return timelineOf(steps)
    .map(({ status, subStatus, cause, version, at }) => {
      expect(at.getTime()).toBe(version - 1);
      return `${status}/${subStatus} ${cause} ${version}`;
    })
    .join(", ");
}

const sent: Step[] = [
  ["queued", "executed"],
  ["submitting", "submitted"],
  ["processing", "accepted"],
];
const way = "initiated/queued executed 1, initiated/processing submitted 2";

describe("the timeline of a payout", () => {
  it("that settled omits the platform's internal steps", () => {
    const listed = story(...sent, ["concluding", "settled"], ["settled", "settled"]);
    expect(listed).toBe(`${way}, succeeded/settled settled 5`);
  });

  it("that waited for approval", () => {
    const waits: Step = ["awaiting_approval", "executed"];
    expect(story(waits, ["queued", "approved"], ["submitting", "submitted"])).toBe(
      "initiated/awaiting_approval executed 1, initiated/queued approved 2, initiated/processing submitted 3",
    );
    for (const because of ["approval_rejected", "approval_expired"] as const) {
      expect(story(waits, ["concluding", because], ["cancelled", because])).toBe(
        `initiated/awaiting_approval executed 1, failed/cancelled ${because} 3`,
      );
    }
  });

  it("that returned", () => {
    const settled: Step[] = [...sent, ["concluding", "settled"], ["settled", "settled"]];
    const listed = story(...settled, ["returning", "returned"], ["returned", "returned"]);
    expect(listed).toBe(`${way}, succeeded/settled settled 5, failed/returned returned 7`);
  });

  it("that returned before it was posted", () => {
    const decided: Step[] = [...sent, ["concluding", "returned"]];
    const listed = story(...decided, ["returning", "settled"], ["returned", "returned"]);
    expect(listed).toBe(`${way}, succeeded/settled settled 5, failed/returned returned 6`);
  });

  it("that was unknown and submitted again under its key", () => {
    const unknown: Step[] = [...sent.slice(0, 2), ["unknown", "outcome_unknown"]];
    const listed = story(...unknown, ["submitting", "submitted"], ["processing", "accepted"]);
    const exception = "initiated/unknown outcome_unknown 3, initiated/processing submitted 4";
    expect(listed).toBe(`${way}, ${exception}`);
  });

  it("hides a wait for the beneficiary's screening at any stage", () => {
    const [executed, ...gone] = sent;
    const waits: Step = ["queued", "uncleared"];
    expect(story(executed as Step, waits, waits)).toBe("initiated/queued executed 1");
    const listed = story(executed as Step, waits, ...gone, ["processing", "uncleared"]);
    expect(listed).toBe("initiated/queued executed 1, initiated/processing submitted 3");
  });

  it.each([
    ["unknown, then rejected", "rejected", "accepted", "rejected"],
    ["unknown, then resolved by people", "resolved", "resolved", "resolved"],
  ] as const)("that was %s", (_what, decision, processing, end) => {
    const unknown: Step[] = [...sent.slice(0, 2), ["unknown", "outcome_unknown"]];
    const listed = story(...unknown, ["concluding", decision], ["rejected", "rejected"]);
    const exception = `initiated/unknown outcome_unknown 3, initiated/processing ${processing} 4`;
    expect(listed).toBe(`${way}, ${exception}, failed/rejected ${end} 5`);
  });

  it("that was cancelled shows neither its request nor the platform's internal steps", () => {
    const [executed, ...rest] = sent;
    const decided: Step[] = [
      ["concluding", "cancelled"],
      ["cancelled", "cancelled"],
    ];
    const queued = story(executed as Step, ...decided);
    expect(queued).toBe("initiated/queued executed 1, failed/cancelled cancelled 3");
    const listed = story(executed as Step, ...rest, ["cancelling", "cancelled"], ...decided);
    expect(listed).toBe(`${way}, failed/cancelled cancelled 6`);
  });

  it("with a failed cancellation shows no trace of it", () => {
    const asked: Step[] = [
      ["cancelling", "cancelled"],
      ["submitting", "cancelled"],
    ];
    const settled: Step[] = [
      ["concluding", "settled"],
      ["settled", "settled"],
    ];
    expect(story(...sent, ...asked, ...settled)).toBe(`${way}, succeeded/settled settled 7`);
    const unknown: Step[] = [...sent.slice(0, 2), ["unknown", "outcome_unknown"]];
    const listed = story(...unknown, ...asked, ["unknown", "outcome_unknown"]);
    expect(listed).toBe(`${way}, initiated/unknown outcome_unknown 3`);
  });

  it("shows a return as the rail's though operators resolved the settlement", () => {
    const settled: Step[] = [...sent, ["concluding", "resolved"], ["settled", "settled"]];
    const listed = story(...settled, ["returning", "returned"], ["returned", "returned"]);
    expect(listed).toBe(`${way}, succeeded/settled resolved 5, failed/returned returned 7`);
  });
});
