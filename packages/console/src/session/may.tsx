import type { ReactNode } from "react";
import { may } from "./session.ts";
import { useHasRole, useSession } from "./use-session.ts";

/** Shows its children to people who have the scope of the public API. */
export function May({ scope, children }: { scope: string; children: ReactNode }) {
  return may(useSession(), scope) ? children : null;
}

/** Shows its children to operators who have one of the roles. */
export function ForRoles(props: { roles: readonly string[]; children: ReactNode }) {
  return useHasRole(...props.roles) ? props.children : null;
}
