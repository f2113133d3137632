import { expect, test } from "vitest";
import { compareFigures } from "./compare.ts";
import type { BenchFigures } from "./figures.ts";
import { exampleFigures, exampleScenario } from "./testing.ts";

function withCpu(cpu_us: Readonly<Record<string, number | null>>): BenchFigures {
  return { ...exampleFigures, scenarios: { quote: { ...exampleScenario, cpu_us } } };
}

const earlier = withCpu({ gateway: 600, engine: 400, load: 100 });

test.each([
  ["the same", { gateway: 600, engine: 400, load: 100 }, 0],
  ["a tenth more", { gateway: 700, engine: 400, load: 100 }, 0],
  ["more than a tenth", { gateway: 701, engine: 400, load: 100 }, 1],
  ["more in one process and less in another", { gateway: 800, engine: 200, load: 100 }, 0],
  ["more in the load generator alone", { gateway: 600, engine: 400, load: 900 }, 0],
  ["more in the receiver alone", { gateway: 600, engine: 400, receiver: 900 }, 0],
  ["what cannot be measured", { gateway: null, engine: null, load: null }, 0],
])("judges CPU per request of the platform: %s", (_what, cpu_us, faults) => {
  expect(compareFigures(earlier, withCpu(cpu_us)).grown).toHaveLength(faults);
});

test("names the processes that cost more", () => {
  const { grown } = compareFigures(earlier, withCpu({ gateway: 900, engine: 300, load: 200 }));
  expect(grown[0]).toMatch(/quote: .*: gateway 600 → 900$/);
});

test("shows what changed, by how much", () => {
  const { text } = compareFigures(earlier, withCpu({ gateway: 500, engine: 250, load: 100 }));
  expect(text).toMatch(/quote +1000 → 750 +-25 % +7 → 7 +0 %/);
});

test("compares the scenarios of both runs alone, and says where they differ in kind", () => {
  const list = { list: exampleScenario };
  const sixteen = { ...earlier, concurrency: 16, scenarios: { ...earlier.scenarios, ...list } };
  const { text } = compareFigures(sixteen, earlier);
  expect(text).not.toContain("list");
  expect(text).toContain("then with 16 requests at a time, now 64");
});

test("says where no scenario is in both runs", () => {
  const { text, grown } = compareFigures({ ...earlier, scenarios: {} }, earlier);
  expect(text).toContain("no scenario is in both runs");
  expect(grown).toEqual([]);
});
