import { useSuspenseQuery } from "@tanstack/react-query";
import { hasRole, knownSession, type Session, sessionQuery } from "./session.ts";

/** Returns the session on pages that require a sign-in; after its end, the latest one. */
export function useSession(): Session {
  const { data: current } = useSuspenseQuery(sessionQuery);
  const data = current ?? knownSession();
  if (data === null) throw new Error("a page that requires a sign-in was shown without a session");
  return data;
}

/** Returns true if the person is an operator with one of the roles. */
export const useHasRole = (...roles: readonly string[]) => hasRole(useSession(), ...roles);
