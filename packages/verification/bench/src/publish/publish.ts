import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchFigures } from "../figures.ts";
import { figuresPage, withFigures } from "./page.ts";
import { costPlot } from "./plot.ts";

const docs = join(import.meta.dirname, "../../../../../docs");

/** Writes the figures into docs/PERFORMANCE.md, and the plot beside it. */
export function publish(figures: BenchFigures): void {
  const page = join(docs, "PERFORMANCE.md");
  writeFileSync(page, withFigures(readFileSync(page, "utf8"), figuresPage(figures)));
  writeFileSync(join(docs, "performance.svg"), costPlot(figures));
}
