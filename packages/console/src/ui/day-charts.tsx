import { useSuspenseQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Chart } from "./chart.tsx";
import { Section } from "./page.tsx";
import { dayText } from "./rules/times.ts";
import { type Column, DataTable } from "./table.tsx";

const words = t.charts;
const periods = [7, 30, 92] as const;
const dayMs = 86_400_000;
/** The services read the figures again after this time. */
const freshMs = 60_000;

type OfDay = { readonly date: string };

/** A figure of each day: exact text, and a position if it has a chart. */
export type Measure<T extends OfDay> = {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly place?: (row: T) => number | null;
};

type MeasuresOf<T extends OfDay> = { readonly rows: readonly T[]; readonly measure: Measure<T> };

type Shown<T extends OfDay> = {
  readonly title: string;
  readonly id: readonly unknown[];
  readonly read: (firstDay: string) => Promise<readonly T[]>;
  readonly measures: readonly Measure<T>[];
  readonly actions?: ReactNode;
};

/** Draws figures by UTC day, and lists them in a table. `measures` must not change while shown. */
export function DayCharts<T extends OfDay>(props: Shown<T>) {
  const { title, id, read, measures } = props;
  const [period, setPeriod] = useState<number>(30);
  return (
    <Section
      title={title}
      actions={
        <div className="row">
          {props.actions}
          {periods.map((days) => (
            <Button
              key={days}
              kind="plain"
              aria-pressed={days === period}
              onClick={() => setPeriod(days)}
            >
              {words.period({ days })}
            </Button>
          ))}
        </div>
      }
    >
      <Charts {...{ title, measures, id: [...id, period] }} read={() => read(firstDayOf(period))} />
    </Section>
  );
}

const firstDayOf = (period: number) =>
  new Date(Date.now() - (period - 1) * dayMs).toISOString().slice(0, 10);

function Charts<T extends OfDay>(
  props: Pick<Shown<T>, "title" | "id" | "measures"> & { read: () => Promise<readonly T[]> },
) {
  const { title, measures } = props;
  // While another period is read, the earlier figures stay.
  const { id, read } = useDeferredValue(props);
  const { data: rows } = useSuspenseQuery({ queryKey: id, queryFn: read, staleTime: freshMs });
  return (
    <>
      <div className="columns">
        {measures.map((measure) => (
          <DayChart key={measure.title} rows={rows} measure={measure} />
        ))}
      </div>
      <details>
        <summary>{words.table}</summary>
        <DataTable
          caption={title}
          rows={rows.toReversed()}
          keyOf={({ date }) => date}
          columns={[
            { id: "date", header: words.day, cell: ({ date }) => dayText(date) },
            ...measures.map(({ title: header, text }): Column<T> => {
              return { id: header, header, align: "end", cell: text };
            }),
          ]}
        />
      </details>
    </>
  );
}

function DayChart<T extends OfDay>({ rows, measure: { title, text, place } }: MeasuresOf<T>) {
  const points = useMemo(() => {
    const pointOf = (row: T) => {
      return { at: Date.parse(row.date), value: place?.(row) ?? null, text: text(row) };
    };
    return rows.map(pointOf);
  }, [rows, place, text]);
  if (place === undefined) return null;
  return (
    <div className="card">
      <h3>{title}</h3>
      <Chart kind="days" points={points} label={words.label({ title, days: rows.length })} />
    </div>
  );
}
