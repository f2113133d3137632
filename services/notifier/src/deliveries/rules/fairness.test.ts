import fc from "fast-check";
import { expect, it } from "vitest";
import {
  admissible,
  allot,
  type Candidate,
  claimable,
  inTurns,
  retryTurns,
  takeTurns,
} from "./fairness.ts";

const one = (endpointId: string, slotsLeft: number, merchantId = endpointId): Candidate => ({
  ...{ endpointId, slotsLeft, merchantId },
});
const slotsLeftOf = (slotsLeft: Readonly<Record<string, number>>) => (id: string) =>
  slotsLeft[id] ?? 64;

it.each<[string, Candidate[], number, string, [string, number][]]>([
  ["nothing due", [], 6, "", []],
  ["one endpoint its slots", [one("a", 3)], 6, "", [["a", 3]]],
  ["one endpoint page by page", [one("a", 9)], 6, "", [["a", 6]]],
  ["nothing to a full one", [one("a", 0), one("b", 2)], 6, "", [["b", 2]]],
  [
    "a page each in turn",
    [one("a", 9), one("b", 1), one("c", 9)],
    9,
    "",
    [
      ["a", 4],
      ["b", 1],
      ["c", 4],
    ],
  ],
  ["the turn after the last", [one("a", 9), one("b", 9)], 4, "a", [["b", 4]]],
  ["the turn from the start again", [one("b", 9), one("a", 9)], 4, "b", [["a", 4]]],
  ["nothing when the process is full", [one("a", 9)], 0, "", []],
  [
    "a merchant's endpoints what is left to it",
    [one("a", 9, "m"), one("b", 9, "m"), one("c", 9)],
    16,
    "",
    [
      ["a", 4],
      ["b", 1],
      ["c", 9],
    ],
  ],
  ["one page to an endpoint that is not known yet", [one("a", 9, "")], 16, "", [["a", 4]]],
])("gives %s", (_name, due, free, servedLast, expected) => {
  expect([...allot(due, free, slotsLeftOf({ m: 5 }), 4, servedLast)].sort()).toEqual(expected);
});

it("never exceeds a limit, and leaves no usable slot idle", () => {
  const merchant = fc.constantFrom("m", "n", "o");
  const candidate = fc.record({
    endpointId: fc.constantFrom(..."abcdefghijklmnop"),
    slotsLeft: fc.integer({ min: -2, max: 32 }),
    merchantId: merchant,
  });
  const due = fc.uniqueArray(candidate, { selector: (each) => each.endpointId, maxLength: 16 });
  const left = fc.dictionary(merchant, fc.integer({ min: -3, max: 64 }));
  fc.assert(
    fc.property(
      due,
      left,
      fc.nat({ max: 128 }),
      fc.constantFrom("", "d"),
      (all, of, free, last) => {
        const shares = allot(all, free, slotsLeftOf(of), 8, last);
        const given = (some: readonly Candidate[]) =>
          some.reduce((sum, { endpointId }) => sum + (shares.get(endpointId) ?? 0), 0);
        expect(given(all)).toBeLessThanOrEqual(free);
        for (const each of all) {
          const share = shares.get(each.endpointId) ?? 0;
          const siblings = all.filter(({ merchantId }) => merchantId === each.merchantId);
          const isMerchantFull = given(siblings) >= slotsLeftOf(of)(each.merchantId);
          expect(share).toBeLessThanOrEqual(Math.max(0, each.slotsLeft));
          expect(given(siblings)).toBeLessThanOrEqual(
            Math.max(0, slotsLeftOf(of)(each.merchantId)),
          );
          expect(share >= each.slotsLeft || isMerchantFull || given(all) === free).toBe(true);
        }
      },
    ),
  );
});

it.each([
  [1, 1, 1, 0],
  [2, 2, 2, 1],
  [3, 3, 3, 2],
  [8, 6, 8, 6],
  [32, 24, 32, 24],
  [256, 192, 256, 192],
])(
  "of %d slots a backlog has at most %d, news %d, beside a backlog %d",
  (limit, old, all, part) => {
    expect([claimable(limit), admissible(limit, false), admissible(limit, true)]).toEqual([
      ...[old, all, part],
    ]);
  },
);

it.each([
  [8, 9, 9, 0, { given: { fresh: 6, backlog: 2 }, turn: 0 }],
  [2, 9, 9, 3, { given: { fresh: 1, backlog: 1 }, turn: 1 }],
  [8, 1, 9, 0, { given: { fresh: 1, backlog: 7 }, turn: 1 }],
  [8, 9, 1, 0, { given: { fresh: 7, backlog: 1 }, turn: 0 }],
  [8, 9, 0, 3, { given: { fresh: 8, backlog: 0 }, turn: 3 }],
  [0, 9, 9, 2, { given: { fresh: 0, backlog: 0 }, turn: 2 }],
])(
  "gives three of four slots to fresh deliveries while both wait: %i to %i and %i, from turn %i",
  (free, fresh, backlog, turn, expected) => {
    expect(takeTurns(free, { fresh, backlog }, turn)).toEqual(expected);
  },
);

it("starves neither fresh deliveries nor a backlog, even with few free slots at a time", () => {
  const free = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 });
  fc.assert(
    fc.property(free, (rounds) => {
      let turn = 0;
      const sums = { fresh: 0, backlog: 0 };
      for (const slots of rounds) {
        const taken = takeTurns(slots, { fresh: 100, backlog: 100 }, turn);
        turn = taken.turn;
        sums.fresh += taken.given.fresh;
        sums.backlog += taken.given.backlog;
      }
      const all = rounds.reduce((sum, slots) => sum + slots, 0);
      expect(sums.fresh + sums.backlog).toBe(all);
      expect(sums.backlog).toBe(Math.floor(all / 4));
    }),
  );
});

it("wastes no slot that one side wants", () => {
  const wanted = fc.record({ fresh: fc.nat(300), backlog: fc.nat(300) });
  fc.assert(
    fc.property(fc.nat(256), wanted, fc.nat(3), (free, sides, turn) => {
      const { given } = takeTurns(free, sides, turn);
      expect(given.fresh).toBeLessThanOrEqual(sides.fresh);
      expect(given.backlog).toBeLessThanOrEqual(sides.backlog);
      expect(given.fresh + given.backlog).toBe(Math.min(free, sides.fresh + sides.backlog));
    }),
  );
});

it.each([
  [1, 0, 1],
  [1, 1, 0],
  [2, 0, 1],
  [2, 1, 1],
  [5, 0, 3],
  [5, 1, 2],
])("of %s claims from turn %s, %s are for retries", (count, turn, retries) => {
  expect(retryTurns(count, turn)).toBe(retries);
});

it("gives retries every second claim, regardless of the size of claims", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 24 })), (counts) => {
      let [turn, given] = [0, 0];
      for (const count of counts) {
        given += retryTurns(count, turn);
        turn += count;
        expect(given).toBe(Math.ceil(turn / 2));
      }
    }),
  );
});

const named = (...ids: readonly string[]) => ids.map((_id) => ({ _id }));
it.each([
  ["all due where no retry is", named("a", "b"), [], 2, named("a", "b")],
  ["a retry before what is due longer", named("a", "b"), named("r"), 2, named("r", "a")],
  ["none twice", named("a", "r"), named("r"), 3, named("r", "a")],
  ["no more than there are slots", named("a", "b"), named("r", "s"), 1, named("r")],
])("claims %s", (_name, due, retries, count, expected) => {
  expect(inTurns(due, retries, count)).toEqual(expected);
});
