import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { May } from "../session/may.tsx";

/** Links to a form, for people who have the scope of the public API. */
export function AddLink(props: { scope: string; to: string; children: ReactNode }) {
  return (
    <May scope={props.scope}>
      <Link to={props.to} className="button" data-kind="primary">
        {props.children}
      </Link>
    </May>
  );
}
