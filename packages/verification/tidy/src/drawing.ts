import { type ImportGraph, importGraph } from "./graph.ts";
import { placeOf } from "./places.ts";
import { isForTests, type Source } from "./source.ts";
import { subjectOf, subjects } from "./subjects.ts";

const [begin, end] = ["<!-- drawn by npm run architecture -->", "<!-- end of the drawing -->"];

/** Returns architecture.md with new drawings of these services. */
export function redrawn(
  page: string,
  sources: readonly Source[],
  services: readonly string[] = Object.keys(subjects),
): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from)
    throw new Error(`architecture.md lacks the marker ${begin} or ${end}`);
  const own = sources.filter(({ path }) => !isForTests(path));
  const drawings = services.map((name) => drawing(name, own, importGraph(own)));
  return `${page.slice(0, from + begin.length)}\n${drawings.join("")}\n${page.slice(to)}`;
}

/**
 * Draws the subjects of a service with their files. An arrow shows that one subject imports
 * another.
 */
function drawing(service: string, sources: readonly Source[], graph: ImportGraph): string {
  const files = new Map<string, number>();
  const arrows = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  const subjectIn = (path: string): string | undefined => {
    const place = placeOf(path);
    return place.kind !== "elsewhere" && place.name === service
      ? subjectOf(place.inside)
      : undefined;
  };
  for (const { path } of sources) {
    const from = subjectIn(path);
    if (from === undefined) continue;
    count(files, from);
    for (const target of graph.get(path) ?? []) {
      const to = subjectIn(target);
      if (to !== undefined && to !== from) count(arrows, `${from} ${to}`);
    }
  }
  const nodes = [...files].sort().map(([name, number]) => `  ${name}["${name}: ${number} files"]`);
  const lines = [...arrows].sort().map(([arrow, number]) => {
    const [from, to] = arrow.split(" ");
    return `  ${from} -->|${number}| ${to}`;
  });
  return `\n### ${service}\n\n\`\`\`mermaid\nflowchart TD\n${[...nodes, ...lines].join("\n")}\n\`\`\`\n`;
}
