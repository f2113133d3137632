import { Link } from "@tanstack/react-router";
import { useSession } from "../../session/use-session.ts";
import { actionsOf, uploadsOf } from "./call.ts";
import { slugOf, textsIn, type Values } from "./rules/form.ts";

/** A link to an action with some of its values, if the person may run it. */
export function ActionLink(props: { name: string; label: string; values: Values }) {
  const { name, label, values } = props;
  const session = useSession();
  const action = [...actionsOf(session), ...uploadsOf(session)].find((each) => each.name === name);
  if (action === undefined) return null;
  return (
    <Link
      to="/actions/$action"
      params={{ action: slugOf(action) }}
      search={textsIn(values)}
      className="button"
    >
      {label}
    </Link>
  );
}
