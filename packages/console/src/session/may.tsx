import type { ReactNode } from "react";
import { may } from "./session.ts";
import { useSession } from "./use-session.ts";

/** Shows its children to people who have the scope of the public API. */
export function May({ scope, children }: { scope: string; children: ReactNode }) {
  return may(useSession(), scope) ? children : null;
}
