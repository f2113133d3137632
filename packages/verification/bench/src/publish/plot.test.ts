import { expect, test } from "vitest";
import { exampleFigures } from "../testing.ts";
import { costPlot } from "./plot.ts";

const svg = costPlot(exampleFigures);

test("draws a bar for the platform and one for each fixed floor, by process", () => {
  // Two scenarios, with two processes each and two floors of two parts each.
  expect(svg.match(/<rect [^>]*><title>/g)).toHaveLength(2 * (2 + 2 + 2));
  expect(svg).toContain("<title>gateway 1,500 µs</title>");
  expect(svg).toContain(">naive floor<");
  expect(svg).not.toContain("load");
});

test("gives the longest bar the whole width, and the others their share of it", () => {
  expect(svg).toContain('width="480"');
  expect(svg).toMatch(/x="170" y="\d+" width="480" [^>]*><title>gateway/);
  expect(svg).toMatch(/x="650" y="\d+" width="160" [^>]*><title>engine 500/);
});

test("says where it was measured, as text", () => {
  expect(svg).toContain("Example &lt;fast>");
  expect(svg).toContain("0123456789");
});
