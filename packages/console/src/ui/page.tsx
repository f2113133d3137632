import { type ReactNode, useEffect } from "react";
import { t } from "../catalogue/texts.ts";

/** Shows a page with its heading and sets the window's title. */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, lead, actions, children } = props;
  useEffect(() => {
    document.title = `${title} · ${t.shell.product}`;
  }, [title]);
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          {lead === undefined ? null : <div className="soft">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Section(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="stack">
      <div className="row between">
        <h2>{props.title}</h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}
