import { expect, it } from "vitest";
import { lifetimeOf } from "./lifetime.ts";

const block = (height: number, slot = height * 2) => ({ height, slot });

it.each<[string, Parameters<typeof lifetimeOf>[0], object | undefined]>([
  ["both know the hash", [block(500), block(510)], { lastHeight: 670, sinceSlot: 1_000 }],
  ["one knows it", [block(500), undefined], undefined],
  ["one is a lifetime ahead", [block(500), block(650)], { lastHeight: 810, sinceSlot: 1_000 }],
  ["one is further ahead", [block(500), block(651)], undefined],
  ["one has an impossible slot", [block(500), block(500, 2_001)], undefined],
])("nodes: %s", (_what, known, expected) => {
  expect(lifetimeOf(known, 2)).toEqual(expected);
  expect(lifetimeOf(known.toReversed(), 2)).toEqual(expected);
});
