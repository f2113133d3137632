import { Link } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { Section } from "./page.tsx";

/** A kind of task, and the page for it. */
export type Work = {
  readonly label: string;
  readonly count: number;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The part of that page. */
  readonly hash?: string;
  /** The age of the oldest task, or the extent of all. */
  readonly detail?: string;
};

/** The tasks of a person. `isKnown` is false while a count is missing or old. */
export type WorkFound = { readonly work: readonly Work[]; readonly isKnown: boolean };

/** The navigation shows the same counts. */
export function WorkList({ work, isKnown }: WorkFound) {
  return (
    <Section title={t.shell.work.title}>
      {isKnown && work.length === 0 ? <p className="soft">{t.shell.work.none}</p> : null}
      {isKnown ? null : <p className="soft">{t.shell.work.counting}</p>}
      <ul className="cards">
        {work.map(({ label, count, detail, ...place }) => (
          <li key={label} className="card">
            <span className="figure">{count}</span>
            <Link {...place}>{label}</Link>
            {detail ? <span className="soft small">{detail}</span> : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}
