import { useMemo } from "react";
import { t } from "../../catalogue/en.ts";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { millisecondsText, type Row, shortName, waterfall } from "./rules/waterfall.ts";
import type { PlacedSpan } from "./spans.ts";

const words = t.platform.trace;

/** More than a payout's whole way has, ten times over; the page stays quick. */
const shownMax = 500;
/** The styles have so many steps. */
const depthMax = 8;
/** The time axis in the drawing's own units. */
const axisWidth = 1_000;
const barHeight = 10;
/** A span that took no time to speak of is still to be seen. */
const barWidthMin = 4;

/** Spans as a table, each with its bar on the common time axis. */
export function Waterfall({ spans }: { spans: readonly PlacedSpan[] }) {
  const { rows, wholeUs } = useMemo(() => waterfall(spans.slice(0, shownMax)), [spans]);
  const columns = useMemo(() => columnsOn(wholeUs), [wholeUs]);
  return (
    <div className="stack">
      {spans.length > shownMax ? <Notice tone="warn">{words.cut(shownMax)}</Notice> : null}
      <DataTable
        caption={words.caption(rows.length)}
        columns={columns}
        rows={rows}
        keyOf={({ span }) => span.spanId}
      />
      <p className="soft small">{words.whole(millisecondsText(wholeUs))}</p>
    </div>
  );
}

function columnsOn(wholeUs: number): readonly Column<Row<PlacedSpan>>[] {
  return [
    { id: "service", header: words.service, cell: ({ span }) => span.service },
    { id: "span", header: words.span, cell: (row) => <Name row={row} /> },
    {
      id: "start",
      header: words.start,
      align: "end",
      cell: ({ offsetUs }) => <Milliseconds microseconds={offsetUs} />,
    },
    {
      id: "duration",
      header: words.duration,
      align: "end",
      cell: ({ span }) => <Milliseconds microseconds={span.durationUs} />,
    },
    {
      id: "bar",
      header: words.bar,
      width: "wide",
      cell: (row) => <Bar row={row} wholeUs={wholeUs} />,
    },
  ];
}

function Milliseconds({ microseconds }: { microseconds: number }) {
  return <span className="money">{words.milliseconds(millisecondsText(microseconds))}</span>;
}

/** The name, under which its ids and codes open. */
function Name({ row: { span, depth } }: { row: Row<PlacedSpan> }) {
  const attributes = Object.entries(span.attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div className="span-name" data-depth={Math.min(depth, depthMax)}>
      <details>
        <summary className="break">{shortName(span.name)}</summary>
        <ul className="plain small mono">
          <li className="break">{`${span.kind} ${span.spanId}`}</li>
          {attributes.map(([name, value]) => (
            <li key={name} className="break">{`${name}: ${value}`}</li>
          ))}
        </ul>
      </details>
      {span.error === "" ? null : <Badge tone="bad">{words.failed(span.error)}</Badge>}
    </div>
  );
}

/** The texts beside it say the same. */
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
