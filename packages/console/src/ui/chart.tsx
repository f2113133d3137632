import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { dayText, momentText } from "./rules/times.ts";

/**
 * A value that applies from a point in time, or on a UTC day. `text` is exact; `value` only sets
 * the position, and is null for none.
 */
export type Point = { readonly at: number; readonly value: number | null; readonly text: string };

const kinds = {
  steps: { heightPx: 260, textOf: momentText, paths: uPlot.paths.stepped?.({ align: 1 }) },
  days: { heightPx: 180, textOf: dayText, paths: uPlot.paths.bars?.({ size: [0.7, 40] }) },
} as const;
type Kind = keyof typeof kinds;

const day = 86_400;
/** Days between two marks. */
const dayMarks = [1, 2, 7, 14, 28].map((days) => days * day);
const compact = new Intl.NumberFormat("en-GB", { notation: "compact" });

const dayMark = (seconds: number) => dayText(new Date(seconds * 1_000).toISOString()).slice(0, -5);

/** A chart of steps, or of a bar for each day. Always show a table of the values beside it. */
export function Chart(props: { points: readonly Point[]; label: string; kind: Kind }) {
  const { points, label, kind } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<Point>();
  const theme = useThemeChanges();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a theme change redraws the chart.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [
      points.map(({ at }) => at / 1_000),
      points.map(({ value }) => value),
    ];
    const onPointed = (place: number | null | undefined) =>
      setPointed(place == null ? undefined : points[place]);
    const chart = new uPlot(optionsOf(element, kind, onPointed), data, element);
    const sized = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: kinds[kind].heightPx });
    });
    sized.observe(element);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [points, kind, theme]);
  const shown = pointed ?? points.at(-1);
  return (
    <figure className="chart">
      <div ref={frame} role="img" aria-label={label} />
      {shown === undefined ? null : (
        <figcaption className="soft small">
          <span className="money">{shown.text}</span> ·{" "}
          {kinds[kind].textOf(new Date(shown.at).toISOString())}
        </figcaption>
      )}
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  kind: Kind,
  onPointed: (place: number | null | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const isDays = kind === "days";
  const { heightPx, paths } = kinds[kind];
  const line = { stroke: style.stroke, width: 1 };
  const axis: uPlot.Axis = {
    stroke: style.color,
    grid: line,
    ticks: line,
    font: `12px ${style.fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPointed(cursor.idx)] },
    ...(isDays && {
      tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
      scales: {
        x: { range: (_chart, first, last) => [first - day / 2, last + day / 2] },
        y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
      },
    }),
    axes: isDays
      ? [
          { ...axis, incrs: dayMarks, values: (_chart, marks) => marks.map(dayMark) },
          { ...axis, size: 56, values: (_chart, marks) => marks.map(compact.format) },
        ]
      : [axis, { ...axis, size: 76 }],
    series: [
      {},
      {
        stroke: style.fill,
        ...(isDays ? { fill: style.fill, width: 0 } : { width: 2 }),
        ...(paths && { paths }),
        points: { show: !isDays, size: 5, fill: style.fill },
      },
    ],
  };
}

/** Counts theme changes, by the person or the system, to redraw the chart. */
function useThemeChanges(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((count) => count + 1);
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const listening = new AbortController();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, listening);
    return () => {
      chosen.disconnect();
      listening.abort();
    };
  }, []);
  return count;
}
