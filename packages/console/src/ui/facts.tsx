import { Fragment, type ReactNode } from "react";
import { Section } from "./page.tsx";

type Rows = readonly (readonly [string, ReactNode])[];

/** Shows names with their values. Omits names without a value. */
export function Facts({ rows }: { rows: Rows }) {
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value !== false && (value ?? "") !== "")
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt className="soft">{name}</dt>
            <dd className="break">{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** Facts in a frame, as a part of a page. */
export function FactsSection(props: { title: string; actions?: ReactNode; rows: Rows }) {
  const { rows, ...section } = props;
  return (
    <Section {...section}>
      <div className="card">
        <Facts rows={rows} />
      </div>
    </Section>
  );
}
