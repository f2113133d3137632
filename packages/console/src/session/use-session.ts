import { useSuspenseQuery } from "@tanstack/react-query";
import { type Session, sessionQuery } from "./session.ts";

/** Returns the session on pages that require a sign-in. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error("a page that requires a sign-in was shown without a session");
  return data;
}
