import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLate, type NodeView, outcomeOf, viewOfAbsent } from "./outcome.ts";

const found = (change: object = {}): NodeView => ({
  kind: "found",
  slot: 7,
  error: undefined,
  isFinal: true,
  ...change,
});
const failed = found({ error: "InstructionError" });
const [absent, expired, unproven] = (["absent", "expired", "unproven"] as const).map(
  (kind): NodeView => ({ kind }),
) as [NodeView, NodeView, NodeView];

describe("the outcome of a transaction", () => {
  it.each<[string, NodeView[], string]>([
    ["final on both", [found(), found()], "paid"],
    ["failed on both", [failed, failed], "failed"],
    ["final on one", [found(), found({ isFinal: false })], "open"],
    ["final on one, unseen by the other", [found(), absent], "open"],
    ["final on one, the other is away", [found(), undefined], "open"],
    ["paid on one, failed on the other", [found(), failed], "disputed"],
    ["in different blocks", [found(), found({ slot: 8 })], "disputed"],
    ["in a block that another one replaces", [found({ isFinal: false, slot: 8 }), found()], "open"],
    ["expired on both", [expired, expired], "expired"],
    ["expired on one", [expired, absent], "open"],
    ["expired on one, the other is away", [expired, undefined], "open"],
    ["expired on one, unproven on the other", [expired, unproven], "unproven"],
    ["expired on one, seen by the other", [expired, found({ isFinal: false })], "disputed"],
    ["expired on one, final on the other", [expired, found()], "disputed"],
    ["unseen by both", [absent, absent], "open"],
    ["no node responds", [undefined, undefined], "open"],
  ])("%s", (_what, views, kind) => {
    expect(outcomeOf(views, 2).kind).toBe(kind);
    expect(outcomeOf(views.toReversed(), 2).kind).toBe(kind);
  });

  it("never follows from one node of two alone, whatever the other one says", () => {
    const view = fc.oneof(
      fc.constantFrom(absent, expired, unproven, undefined),
      fc
        .record({ slot: fc.nat(3), isFinal: fc.boolean(), error: fc.constantFrom(undefined, "e") })
        .map((each) => found(each)),
    );
    fc.assert(
      fc.property(view, view, (one, other) => {
        const { kind } = outcomeOf([one, other], 2);
        if (kind === "paid" || kind === "failed") expect(one).toEqual(other);
        if (kind === "expired") expect([one, other]).toEqual([expired, expired]);
      }),
    );
  });
});

describe("a node that did not find a transaction", () => {
  const signature = { id: "s", lastHeight: 100, sinceSlot: 50 };
  const search = {
    final: { slot: 140, height: 101 },
    searchedTo: 140,
    firstSlot: 50,
    isComplete: true,
  };
  it.each<[string, object, string]>([
    ["has every block", {}, "expired"],
    ["is at the last block that can contain it", { final: { slot: 139, height: 100 } }, "absent"],
    ["searched less than it says to have", { searchedTo: 139 }, "unproven"],
    ["has removed the first block", { firstSlot: 51 }, "unproven"],
    ["lacks a block", { isComplete: false }, "unproven"],
  ])("%s", (_what, change, kind) => {
    expect(viewOfAbsent(signature, { ...search, ...change })?.kind).toBe(kind);
  });

  it("is late only above the last height", () => {
    expect([99, 100, 101].map((height) => isLate(signature, { height }))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
