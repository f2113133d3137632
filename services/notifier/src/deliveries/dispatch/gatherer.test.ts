import { expect, it } from "vitest";
import { createGatherer } from "./gatherer.ts";

function recorded(groupMax: number) {
  const groups: number[][] = [];
  const ends: number[] = [];
  const gatherer = createGatherer<number>(groupMax, async (group) => {
    groups.push([...group]);
    await Promise.resolve();
    ends.push(group.length);
  });
  return { groups, ends, gatherer };
}

it("writes what comes first at once, and what comes right after it in one go", async () => {
  const { groups, ends, gatherer } = recorded(10);
  gatherer.add(1);
  expect(groups).toEqual([[1]]);
  for (const each of [2, 3, 4]) gatherer.add(each);
  await gatherer.idle();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  expect(ends).toEqual([1, 3]);
});

it("writes no more at a time than it may, in order and none twice", async () => {
  const { groups, gatherer } = recorded(2);
  for (const each of [1, 2, 3, 4, 5, 6]) gatherer.add(each);
  await gatherer.idle();
  expect(groups).toEqual([[1], [2, 3], [4, 5], [6]]);
});

it("goes on after it had nothing to write", async () => {
  const { groups, gatherer } = recorded(10);
  gatherer.add(1);
  await gatherer.idle();
  await gatherer.idle();
  gatherer.add(2);
  await gatherer.idle();
  expect(groups).toEqual([[1], [2]]);
});
