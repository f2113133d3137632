import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agreedOn,
  type MinedTransaction,
  type NodeView,
  verdictOf,
  verdictOfAll,
} from "./finality.ts";

const seen: MinedTransaction = {
  ...{ id: "0x1", height: 7, block: "0xb", succeeded: true, received: 5n, isFinal: true },
};
const young: MinedTransaction = { ...seen, isFinal: false };

describe("the nodes' verdict on a transaction", () => {
  it.each<[string, NodeView[], number, string]>([
    ["all have it as final", [seen, seen], 2, "final"],
    ["one of two has it as final", [seen, young], 2, "mined"],
    ["one of two is behind, and both have to agree", [seen, "absent"], 2, "mined"],
    ["one of two is behind, and one is enough", [seen, "absent"], 1, "final"],
    ["one of two is away, and both have to agree", [seen, undefined], 2, "mined"],
    ["one has it in another block", [seen, { ...seen, block: "0xc" }], 1, "disputed"],
    ["one has it as a revert", [seen, { ...seen, succeeded: false }], 1, "disputed"],
    ["one has another amount", [seen, { ...young, received: 4n }], 1, "disputed"],
    ["no node has it", ["absent", "absent"], 2, "unmined"],
    ["one does not have it and one is away", ["absent", undefined], 2, "unanswered"],
    ["all are away", [undefined, undefined], 1, "unanswered"],
  ])("where %s", (_what, views, agreeing, kind) => {
    expect(verdictOf(views, agreeing).kind).toBe(kind);
  });

  it("concludes nothing that a node contradicts, however many agree", () => {
    const view = fc.constantFrom<NodeView>(seen, young, "absent", undefined);
    fc.assert(
      fc.property(fc.array(view), fc.array(view), fc.integer({ min: 1, max: 4 }), (a, b, least) => {
        const other: NodeView = { ...seen, block: "0xc" };
        expect(verdictOf([...a, seen, other, ...b], least).kind).toBe("disputed");
      }),
    );
  });
});

describe("the nodes' verdict on the variants of a nonce", () => {
  const final = { kind: "final", transaction: seen } as const;
  it.each([
    ["one is final and the others are nowhere", [{ kind: "unmined" }, final], "final"],
    ["one is final and nodes were away for another", [{ kind: "unanswered" }, final], "final"],
    ["two are in blocks", [{ kind: "mined" }, final], "disputed"],
    ["none is in a block", [{ kind: "unmined" }, { kind: "unmined" }], "unmined"],
    ["nodes were away for one", [{ kind: "unmined" }, { kind: "unanswered" }], "unanswered"],
    ["there are none", [], "unanswered"],
  ] as const)("where %s", (_what, verdicts, kind) => {
    expect(verdictOfAll(verdicts).kind).toBe(kind);
  });
});

it.each([
  ["all say it", ["a", "a"], 2, "a"],
  ["enough say it", ["a", undefined], 1, "a"],
  ["too few say it", ["a", undefined], 2, undefined],
  ["one says another", ["a", "b", "a"], 1, undefined],
  ["none says anything", [undefined], 1, undefined],
])("nodes agree where %s", (_what, answers, agreeing, expected) => {
  expect(agreedOn(answers, agreeing)).toBe(expected);
});
