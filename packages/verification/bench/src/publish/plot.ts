import type { BenchFigures, ScenarioFigures } from "../figures.ts";
import { platformProcesses } from "../measures/cost.ts";
import { count } from "../table.ts";

/** A bar is made of these, from the left. */
type Part = { readonly name: string; readonly us: number };
type Bar = { readonly label: string; readonly parts: readonly Part[] };

/** The services first, then what they share; colour-blind readers can distinguish these. */
const colours: Readonly<Record<string, string>> = {
  gateway: "#4477aa",
  quote: "#66ccee",
  payout: "#228833",
  beneficiary: "#ccbb44",
  compliance: "#ee6677",
  notifier: "#aa3377",
  engine: "#555555",
  broker: "#999999",
  floor: "#000000",
};

const [width, left, right, barHeight, gap, top] = [900, 170, 90, 14, 10, 60];
const barsOfScenario = 3;

/** CPU time per request as SVG: for each scenario the platform by process, and its fixed floors. */
export function costPlot({ scenarios, machine }: BenchFigures): string {
  const groups = Object.entries(scenarios).map(([name, figures]) => barsOf(name, figures));
  const longest = Math.max(1, ...groups.flat().map(totalOf));
  const scale = (us: number) => Math.round((us / longest) * (width - left - right) * 10) / 10;
  const groupHeight = barsOfScenario * barHeight + gap;
  const height = top + groups.length * groupHeight + gap;
  const bars = groups.flatMap((group, at) =>
    group.map((bar, nth) => drawBar(bar, top + at * groupHeight + nth * barHeight, scale)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
      `font-family="sans-serif" font-size="11" role="img">`,
    `<title>CPU time per request, microseconds</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(
      10,
      18,
      `CPU time per request, µs · ${machine.cpu} · Node ${machine.node} · ${machine.commit}`,
    ),
    ...legend(),
    ...bars,
    `</svg>`,
    "",
  ].join("\n");
}

function barsOf(name: string, figures: ScenarioFigures): Bar[] {
  const parts = platformProcesses(figures).map(([process, us]) => ({ name: process, us: us ?? 0 }));
  const inOrder = Object.keys(colours).flatMap((each) =>
    parts.filter((part) => part.name === each),
  );
  const floor = (kind: "naive" | "grouped"): Bar => {
    const { cpu_us, engine_cpu_us } = figures[`floor_${kind}`];
    const own = { name: "floor", us: cpu_us ?? 0 };
    return { label: `${kind} floor`, parts: [own, { name: "engine", us: engine_cpu_us ?? 0 }] };
  };
  return [{ label: name, parts: inOrder }, floor("naive"), floor("grouped")];
}

function totalOf({ parts }: Bar): number {
  return parts.reduce((sum, { us }) => sum + us, 0);
}

function drawBar(bar: Bar, y: number, scale: (us: number) => number): string {
  let x = left;
  const drawn = bar.parts.map(({ name, us }) => {
    const length = scale(us);
    const part =
      `<rect x="${x}" y="${y}" width="${length}" height="${barHeight - 2}" ` +
      `fill="${colours[name]}"><title>${name} ${count(us)} µs</title></rect>`;
    x = Math.round((x + length) * 10) / 10;
    return part;
  });
  const label = text(left - 6, y + barHeight - 4, bar.label, "end");
  return [label, ...drawn, text(x + 4, y + barHeight - 4, count(totalOf(bar)))].join("");
}

function legend(): string[] {
  const each = (width - 20) / Object.keys(colours).length;
  return Object.entries(colours).map(([name, colour], at) => {
    const x = Math.round(10 + at * each);
    return `<rect x="${x}" y="30" width="10" height="10" fill="${colour}"/>${text(x + 14, 39, name)}`;
  });
}

function text(x: number, y: number, words: string, anchor = "start"): string {
  const escaped = words.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped}</text>`;
}
