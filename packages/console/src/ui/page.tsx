import { useMatch } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { t } from "../catalogue/texts.ts";
import { Part } from "./part.tsx";

/** A page with its heading, by default the route's title, which the window's title shows too. */
export function Page(props: {
  title?: string | undefined;
  lead?: ReactNode;
  /** The id of the page's record, and its state. */
  id?: string | undefined;
  state?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { lead, id, state, actions, children } = props;
  const routeTitle = useMatch({ strict: false, select: ({ staticData }) => staticData.title });
  const title = props.title ?? routeTitle ?? t.shell.product;
  useEffect(() => {
    document.title = `${title} · ${t.shell.product}`;
  }, [title]);
  return (
    <div className="page">
      <div className="page-head row between">
        <div>
          <h1>{title}</h1>
          {lead === undefined ? null : <div className="soft">{lead}</div>}
          {id === undefined ? null : (
            <div className="row soft">
              <span className="mono break">{id}</span> {state}
            </div>
          )}
        </div>
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page, which loads and fails without the rest. */
export function Section(props: {
  title: string;
  id?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="stack" id={props.id}>
      <div className="row between">
        <h2>{props.title}</h2>
        {props.actions}
      </div>
      <Part>{props.children}</Part>
    </section>
  );
}
