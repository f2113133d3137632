import { useSuspenseQuery } from "@tanstack/react-query";
import { type Session, sessionQuery } from "./session.ts";

/** The session of a page that is shown to signed-in people alone. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error("a page was shown without a session");
  return data;
}
