import { glob } from "node:fs/promises";
import type { DescFile } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { chosen } from "./endpoints.ts";
import { createRepeatBudget, isRepeatable, pauseBefore } from "./repeats.ts";

const generated = new URL("../../../../contracts/src/gen/disburse/", import.meta.url);

it("classifies every RPC as repeatable or not", async () => {
  const never: string[] = [];
  let known = 0;
  for await (const path of glob("**/*_pb.ts", { cwd: generated.pathname })) {
    const exported: Record<string, unknown> = await import(new URL(path, generated).href);
    const file = Object.values(exported).find(
      (each) => (each as DescFile).kind === "file",
    ) as DescFile;
    for (const service of file.services) {
      known += service.methods.length;
      never.push(...service.methods.filter((each) => !isRepeatable(each)).map(({ name }) => name));
    }
  }
  expect(known).toBeGreaterThan(80);
  // A stream can't be read twice; a republication returns its data in the answer, at any size; a
  // person at a link's page can retry by hand.
  const ofLinks = ["OpenBeneficiaryLink", "SubmitBeneficiaryLink"];
  const ofStreams = ["ImportList", "RenderStatement", "RepublishPayoutEvents"];
  expect(never.toSorted()).toEqual([...ofLinks, ...ofStreams].toSorted());
});

it("pauses 50 ms, then twice as long, give or take half", () => {
  expect([1, 2].map((tries) => pauseBefore(tries, () => 0))).toEqual([25, 50]);
  expect([1, 2].map((tries) => pauseBefore(tries, () => 0.999_999))).toEqual([
    expect.closeTo(75, 3),
    expect.closeTo(150, 3),
  ]);
});

it("grants a tenth of the calls as repeats once what was saved up is spent", () => {
  const budget = createRepeatBudget();
  let granted = 0;
  while (budget.take()) granted += 1;
  expect(granted).toBe(100);
  for (let made = 0; made < 50; made += 1) budget.called();
  // In binary, ten times a tenth is a little less than one.
  expect([1, 2, 3, 4, 5, 6].filter(() => budget.take()).length).toBeGreaterThanOrEqual(4);
  expect(budget.take()).toBe(false);
});

it("chooses of two different endpoints the one with fewer outstanding calls", () => {
  const endpoints = [5, 1, 3].map((size) => ({ calls: { size } }));
  const draw = (first: number, second: number) => {
    const numbers = [first, second];
    return chosen(endpoints, () => numbers.shift() ?? 0).calls.size;
  };
  expect(draw(0, 0)).toBe(1);
  expect(draw(0, 0.99)).toBe(3);
  expect(draw(0.99, 0)).toBe(3);
  expect(draw(0.99, 0.99)).toBe(1);
  expect(() => chosen([], () => 0)).toThrow("list of endpoints is empty");
});
