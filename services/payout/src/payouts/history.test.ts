import { describe, expect, it } from "vitest";
import type { StoredCall, StoredStep } from "./document.ts";
import { type HistoryEntry, historyOf } from "./history.ts";

const time = (seconds: number) => new Date(seconds * 1_000);
const bank = { kind: "service", id: "bank" } as const;

function step(
  seconds: number,
  stage: StoredStep["stage"],
  change: Partial<StoredStep> = {},
): StoredStep {
  const detail = `${stage} then`;
  return { stage, version: 1, at: time(seconds), cause: "accepted", detail, ...change };
}
function call(seconds: number, kind: StoredCall["kind"], said?: string): StoredCall {
  return { kind, at: time(seconds), ...(said !== undefined && { said }) };
}

/** Formats an entry for the expected list. */
function lineOf({ kind, at, stage, version, detail, rail, actor }: HistoryEntry): string {
  const by = actor === undefined ? "" : ` by ${actor.kind} ${actor.id}`;
  return `${at.getTime() / 1_000} ${kind} ${stage} ${version} "${rail}": ${detail}${by}`;
}
const history = (journal: StoredStep[], calls: StoredCall[]) =>
  historyOf({ journal, calls, rail: "swift", submitted_at: time(10) }).map(lineOf);

describe("the history of a payout", () => {
  it("has each step and call with stage, version and rail of its time, and reporter", () => {
    const journal = [
      step(0, "queued"),
      step(10, "submitting"),
      step(11, "processing"),
      step(22, "concluding", { actor: bank, operation_id: "op_1" }),
      step(23, "settled", { version: 2 }),
    ];
    const calls = [
      call(1, "leased"),
      call(9, "leased"),
      call(10, "submit"),
      call(11, "answer", "accepted"),
      call(20, "leased"),
      { ...call(21, "callback", "settled R"), actor: bank, operation_id: "op_1" },
      call(22, "answer", "no answer"),
      call(30, "leased"),
      call(31, "answer", "settled R"),
    ];
    expect(history(journal, calls)).toEqual([
      '0 step queued 1 "": queued then',
      '10 step submitting 1 "swift": submitting then',
      '10 submit submitting 1 "swift": accepted',
      '11 step processing 1 "swift": processing then',
      '20 query processing 1 "swift": no answer',
      '21 callback processing 1 "swift": settled R by service bank',
      '22 step concluding 1 "swift": concluding then by service bank',
      '23 step settled 2 "swift": settled then',
      '30 query settled 2 "swift": settled R',
    ]);
  });

  it("has a call without its response, and no response without its call", () => {
    const journal = [step(0, "queued"), step(10, "submitting"), step(40, "unknown")];
    const calls = [
      call(12, "answer", "accepted"),
      call(20, "leased"),
      call(30, "leased"),
      call(31, "answer", "unknown"),
      call(32, "answer", "settled"),
    ];
    expect(history(journal, calls)).toEqual([
      '0 step queued 1 "": queued then',
      '10 step submitting 1 "swift": submitting then',
      '20 query submitting 1 "swift": ',
      '30 query submitting 1 "swift": unknown',
      '40 step unknown 1 "swift": unknown then',
    ]);
  });

  it.each([
    ["queued", "none"],
    ["submitting", "query"],
    ["processing", "query"],
    ["unknown", "query"],
    ["concluding", "none"],
    ["settled", "query"],
    ["returning", "none"],
    ["rejected", "none"],
    ["returned", "none"],
  ] as const)("has for a lease in stage %s the call: %s", (stage, expected) => {
    const [, ...calls] = historyOf({ journal: [step(0, stage)], calls: [call(1, "leased")] });
    expect(calls.map(({ kind }) => kind)).toEqual(expected === "none" ? [] : [expected]);
  });

  it("of one moment has a submission after its own step, and other calls before theirs", () => {
    const journal = [step(10, "queued"), step(10, "submitting"), step(10, "processing")];
    const calls = [
      ...[call(10, "leased"), call(10, "callback", "settled R")],
      ...[call(10, "submit"), call(10, "answer", "ok")],
    ];
    expect(history(journal, calls)).toEqual([
      '10 step queued 1 "swift": queued then',
      '10 callback queued 1 "swift": settled R',
      '10 step submitting 1 "swift": submitting then',
      '10 submit submitting 1 "swift": ok',
      '10 step processing 1 "swift": processing then',
    ]);
  });

  it("names no rail before one was chosen", () => {
    const [queued] = historyOf({ journal: [step(0, "queued")], calls: [], rail: "swift" });
    expect(queued).toStrictEqual({
      ...{ kind: "step", at: time(0), stage: "queued", version: 1, detail: "queued then" },
      ...{ rail: "", actor: undefined },
    });
  });
});
