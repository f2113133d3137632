import { expect, it } from "vitest";
import { createBatcher } from "./settlement.ts";

function recorded(groupMax: number) {
  const groups: number[][] = [];
  const ends: number[] = [];
  const batcher = createBatcher<number>(groupMax, async (group) => {
    groups.push([...group]);
    await Promise.resolve();
    ends.push(group.length);
  });
  return { groups, ends, batcher };
}

it("writes what comes first at once, and what comes right after it in one go", async () => {
  const { groups, ends, batcher } = recorded(10);
  batcher.add(1);
  expect(groups).toEqual([[1]]);
  for (const each of [2, 3, 4]) batcher.add(each);
  await batcher.idle();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  expect(ends).toEqual([1, 3]);
});

it("writes no more at a time than it may, in order and none twice", async () => {
  const { groups, batcher } = recorded(2);
  for (const each of [1, 2, 3, 4, 5, 6]) batcher.add(each);
  await batcher.idle();
  expect(groups).toEqual([[1], [2, 3], [4, 5], [6]]);
});

it("goes on after it had nothing to write", async () => {
  const { groups, batcher } = recorded(10);
  batcher.add(1);
  await batcher.idle();
  await batcher.idle();
  batcher.add(2);
  await batcher.idle();
  expect(groups).toEqual([[1], [2]]);
});
