import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { momentText } from "./rules/times.ts";

/** A value that applies from a point in time. `text` is exact; `value` only sets the position. */
export type Point = { readonly at: number; readonly value: number; readonly text: string };

const heightPx = 260;

/** A step chart. Always show a table of the values beside it. */
export function StepChart({ points, label }: { points: readonly Point[]; label: string }) {
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
    const chart = new uPlot(optionsOf(element, onPointed), data, element);
    const sized = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: heightPx });
    });
    sized.observe(element);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [points, theme]);
  const shown = pointed ?? points.at(-1);
  return (
    <figure className="chart">
      <div ref={frame} role="img" aria-label={label} />
      {shown === undefined ? null : (
        <figcaption className="soft small">
          <span className="money">{shown.text}</span> ·{" "}
          {momentText(new Date(shown.at).toISOString())}
        </figcaption>
      )}
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  onPointed: (place: number | null | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const axis: uPlot.Axis = {
    stroke: colour("--text-soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    font: `12px ${colour("--font")}`,
  };
  return {
    width: element.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPointed(cursor.idx)] },
    axes: [axis, { ...axis, size: 76 }],
    series: [
      {},
      {
        stroke: colour("--accent"),
        width: 2,
        ...(stepped && { paths: stepped }),
        points: { show: true, size: 5, fill: colour("--accent") },
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
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", changed);
    return () => {
      chosen.disconnect();
      system.removeEventListener("change", changed);
    };
  }, []);
  return count;
}
