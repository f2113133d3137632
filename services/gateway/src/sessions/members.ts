import type { IncomingMessage } from "node:http";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import { scopesOf } from "../team/rules/role.ts";
import { findMember, type MemberDocument, type Members } from "../team/store.ts";
import { carriesCsrfToken, cookieValue, isSessionToken, needsCsrfToken } from "./rules/session.ts";
import type { Session, Sessions } from "./store.ts";

export type MemberSessions = ReturnType<typeof openMemberSessions>;

/** A session and the current data of its member. */
type MemberSession = { readonly session: Session; readonly member: MemberDocument };
/** A session of a person. The person may not belong to a team yet. */
type PersonSession = { readonly session: Session; readonly member: MemberDocument | undefined };

/** `cookieName` is the name of the public port's session cookie. */
export function openMemberSessions(deps: {
  readonly sessions: Sessions;
  readonly members: Members;
  readonly cookieName: string;
}) {
  const { sessions, members, cookieName } = deps;
  /**
   * Finds the session's person. The member is absent until the person joins a team. A session ends
   * when its member is removed.
   */
  const findPerson = async (token: string, isUse = true): Promise<PersonSession | undefined> => {
    const session = await sessions.find(token, "member", isUse);
    if (session === undefined) return undefined;
    if (session.memberId === undefined) return { session, member: undefined };
    const member = await findMember(members, session.memberId);
    return member && { session, member };
  };
  const find = async (token: string, isUse = true): Promise<MemberSession | undefined> => {
    const found = await findPerson(token, isUse);
    return found?.member && { session: found.session, member: found.member };
  };
  return {
    find,
    findPerson,
    /**
     * Returns true if the session is valid. Doesn't prolong it, because an open page alone is no
     * use of the session.
     */
    isGood: async (token: string): Promise<boolean> => (await find(token, false)) !== undefined,
    /** Returns the session token of the request, if it has the right form. */
    tokenOf: ({ headers }: IncomingMessage): string | undefined => {
      const token = cookieValue(headers.cookie, cookieName);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    /** Returns the session's member as a caller of the public routes. */
    callerOf: async (
      token: string,
      method: string,
      csrfTokens: readonly string[],
    ): Promise<Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">> => {
      const found = await findPerson(token);
      if (found === undefined) {
        return refused("UNAUTHENTICATED", "The session has ended. Sign in again.");
      }
      const { session, member } = found;
      if (member === undefined) {
        return refused("ACCESS_FORBIDDEN", "Accept an invitation to a team first.");
      }
      if (needsCsrfToken(method) && !carriesCsrfToken(token, csrfTokens)) {
        return refusedBecause("ACCESS_FORBIDDEN", "csrf_token_missing");
      }
      const { _id: id, merchant_id: merchantId, role, root = id } = member;
      const { signedInAt } = session;
      const limits = { scopes: scopesOf(role), sourceCidrs: [], endsAt: undefined };
      return { merchantId, ...limits, actor: { kind: "member", id, root }, signedInAt };
    },
  };
}
