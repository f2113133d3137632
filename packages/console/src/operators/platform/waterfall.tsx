import { useMemo } from "react";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { numberColumn, textColumn } from "../../ui/columns.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { millisecondsText, type Row, shortName, waterfall } from "./rules/waterfall.ts";
import type { PlacedSpan } from "./spans.ts";

const words = operatorTexts.platform.trace;

/**
 * Maximum number of rows, which keeps the page fast. This is ten times the usual number of spans of
 * a payout.
 */
const shownMax = 500;
/** Width of the time axis in SVG units. */
const axisWidth = 1_000;
const barHeight = 10;
/** Minimum width of a bar, so that very short spans are visible. */
const barWidthMin = 4;

/** Shows spans as a table with bars on a common time axis. */
export function Waterfall({ spans }: { spans: readonly PlacedSpan[] }) {
  const { rows, wholeUs } = useMemo(() => waterfall(spans.slice(0, shownMax)), [spans]);
  const columns = useMemo(() => columnsOn(wholeUs), [wholeUs]);
  return (
    <div className="stack">
      {spans.length > shownMax ? (
        <Notice tone="warn">{words.cut({ count: shownMax })}</Notice>
      ) : null}
      <DataTable
        caption={words.caption({ count: rows.length })}
        columns={columns}
        rows={rows}
        keyOf={({ span }) => span.spanId}
      />
      <p className="soft small">{words.whole({ text: millisecondsText(wholeUs) })}</p>
    </div>
  );
}

function columnsOn(wholeUs: number): readonly Column<Row<PlacedSpan>>[] {
  return [
    textColumn("service", words.service, ({ span }) => span.service),
    { id: "span", header: words.span, cell: (row) => <Name row={row} /> },
    numberColumn("start", words.start, ({ offsetUs }) => inMilliseconds(offsetUs)),
    numberColumn("duration", words.duration, ({ span }) => inMilliseconds(span.durationUs)),
    {
      id: "bar",
      header: words.bar,
      width: "wide",
      cell: (row) => <Bar row={row} wholeUs={wholeUs} />,
    },
  ];
}

const inMilliseconds = (microseconds: number) =>
  words.milliseconds({ text: millisecondsText(microseconds) });

/** Shows the name, which expands to the span's attributes. */
function Name({ row: { span, depth } }: { row: Row<PlacedSpan> }) {
  const attributes = Object.entries(span.attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div className="span-name">
      <svg width={depth * 12} height="1" aria-hidden="true" />
      <details>
        <summary className="break">{shortName(span.name)}</summary>
        <ul className="plain small mono">
          <li className="break">{`${span.kind} ${span.spanId}`}</li>
          {attributes.map(([name, value]) => (
            <li key={name} className="break">{`${name}: ${value}`}</li>
          ))}
        </ul>
      </details>
      {span.error === "" ? null : <Badge tone="bad">{words.failed({ code: span.error })}</Badge>}
    </div>
  );
}

/** Decorative: the adjacent text has the same information. */
function Bar({ row: { span, offsetUs }, wholeUs }: { row: Row<PlacedSpan>; wholeUs: number }) {
  const scale = axisWidth / wholeUs;
  const width = Math.max(barWidthMin, span.durationUs * scale);
  return (
    <svg
      className="span-bar"
      viewBox={`0 0 ${axisWidth} ${barHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-failed={span.error === "" ? undefined : "true"}
    >
      <rect
        x={Math.min(offsetUs * scale, axisWidth - width)}
        y={0}
        width={width}
        height={barHeight}
      />
    </svg>
  );
}
