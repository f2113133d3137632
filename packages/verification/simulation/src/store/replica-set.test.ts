import { beforeEach, describe, expect, it } from "vitest";
import type { Step } from "./collection.ts";
import type { Execution, Primary, ReadFrom } from "./primary.ts";
import { createReplicaSet, type ReplicaSet } from "./replica-set.ts";

const lagMs = 5;
let nowMs: number;
let committed: unknown[];
let set: ReplicaSet;

beforeEach(() => {
  nowMs = 0;
  committed = [];
  set = createReplicaSet({
    now: () => new Date(nowMs),
    onWrite: () => undefined,
    onCommit: (_collection, _before, after) => committed.push(after?._id),
  });
});

const insert = (_id: string): Step => ({ run: (tables) => tables("rows").insert({ _id }) });
const increment: Step = {
  run: (tables) => tables("rows").update({ _id: "a" }, { $inc: { count: 1 } }).isModified,
};

function run(primary: Primary, steps: readonly Step[], earlier?: Execution): Execution {
  return primary.run({ isOrdered: false, steps, filterOf: () => ({}), lagMs, earlier });
}

const idsOf = (primary: Primary, from: ReadFrom = "majority") =>
  primary
    .rows(from, "rows")
    .select({})
    .map(({ _id }) => _id);

/** Cuts the primary off. It serves all clients for 100 ms, and the next one begins after 50 ms. */
function lose(): { lost: number; former: Primary; next: Primary } {
  const former = set.primary();
  const lost = set.failOver({
    isPlanned: false,
    electionMs: 50,
    isolatedMs: 100,
    stays: () => true,
  });
  return { lost, former, next: set.primary() };
}

describe("a write", () => {
  it("has a majority after the lag, and then survives the loss of the primary", () => {
    const written = run(set.primary(), [insert("a")]);
    expect(set.primary().hasMajority(written)).toBe(false);
    nowMs = lagMs;
    expect(set.primary().hasMajority(written)).toBe(true);
    const { lost, next } = lose();
    expect([lost, idsOf(next)]).toEqual([0, ["a"]]);
    expect(committed).toEqual(["a"]);
  });

  it("is rolled back if the primary is lost before a majority has it", () => {
    run(set.primary(), [insert("a")]);
    const { lost, next } = lose();
    nowMs = 1_000;
    expect([lost, idsOf(next, "primary"), committed]).toEqual([1, [], []]);
  });

  it("never has a majority on a primary without its peers, and then is rolled back", () => {
    const { former, next } = lose();
    const written = run(former, [insert("a")]);
    nowMs = 60;
    expect(former.hasMajority(written)).toBe(false);
    expect(idsOf(former, "primary")).toEqual(["a"]);
    expect([idsOf(former), idsOf(next, "primary")]).toEqual([[], []]);
  });

  it("that changes nothing waits for the writes that it found", () => {
    run(set.primary(), [insert("a")]);
    const refused = run(set.primary(), [insert("a")]);
    expect(refused.outcomes).toMatchObject([{ error: { code: 11_000 } }]);
    expect(set.primary().hasMajority(refused)).toBe(false);
  });

  it("survives a planned step-down", () => {
    run(set.primary(), [insert("a")]);
    set.failOver({ isPlanned: true, electionMs: 50, isolatedMs: 0, stays: () => false });
    expect(idsOf(set.primary())).toEqual(["a"]);
  });
});

describe("a repeated command", () => {
  it("is carried out once if the first try survived", () => {
    run(set.primary(), [insert("a")]);
    const first = run(set.primary(), [increment]);
    nowMs = lagMs;
    const { next } = lose();
    expect(run(next, [increment], first).outcomes).toEqual(first.outcomes);
    expect(next.rows("primary", "rows").select({})).toEqual([{ _id: "a", count: 1 }]);
  });

  it("is carried out again if the first try was rolled back", () => {
    const first = run(set.primary(), [insert("a")]);
    const { next } = lose();
    expect(run(next, [insert("a")], first).outcomes).toEqual([{ value: undefined }]);
    expect(idsOf(next, "primary")).toEqual(["a"]);
  });

  it("carries out only the steps of a bulk that were lost", () => {
    const steps = [insert("a"), insert("b")];
    const first = run(set.primary(), steps.slice(0, 1));
    nowMs = lagMs;
    const { next } = lose();
    const again = run(next, steps, first);
    expect(again.outcomes).toEqual([{ value: undefined }, { value: undefined }]);
    expect(idsOf(next, "primary")).toEqual(["a", "b"]);
  });
});

describe("a client", () => {
  it("stays with the former primary until that steps down", () => {
    const client = {};
    const { former, next } = lose();
    expect(set.primaryOf(client)).toBe(former);
    nowMs = 99;
    expect(set.primaryOf(client)).toBe(former);
    nowMs = 100;
    expect(set.primaryOf(client)).toBe(next);
  });

  it("that lost the former primary waits for the election", () => {
    set.failOver({ isPlanned: false, electionMs: 50, isolatedMs: 100, stays: () => false });
    expect(set.primaryOf({})).toBeUndefined();
    nowMs = 50;
    expect(set.primaryOf({})).toBe(set.primary());
  });

  it("shares one primary with the others once the former one steps down", () => {
    expect(set.isWhole()).toBe(true);
    lose();
    nowMs = 60;
    expect(set.isWhole()).toBe(false);
    nowMs = 100;
    expect(set.isWhole()).toBe(true);
  });

  it("reaches the new primary as soon as the set is healed", () => {
    const { next } = lose();
    set.heal();
    expect([set.primaryOf({}), set.isWhole()]).toEqual([next, true]);
  });
});

it("a new primary refuses the keys that a majority has", () => {
  set
    .primary()
    .table("rows")
    .addIndex({ name: "name", key: { name: 1 }, unique: true });
  const named = (_id: string): Step => ({
    run: (tables) => tables("rows").insert({ _id, name: "ann" }),
  });
  run(set.primary(), [named("a")]);
  nowMs = lagMs;
  expect(run(lose().next, [named("b")]).outcomes).toMatchObject([{ error: { code: 11_000 } }]);
});

it("a secondary shows the documents of a while ago", () => {
  run(set.primary(), [insert("a")]);
  nowMs = 500;
  expect([idsOf(set.primary()), idsOf(set.primary(), "secondary")]).toEqual([["a"], []]);
  nowMs = 2_000;
  expect(idsOf(set.primary(), "secondary")).toEqual(["a"]);
});
