import type { IncomingMessage } from "node:http";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import { scopesOf } from "../team/rules/role.ts";
import { findMember, type MemberDocument, type Members } from "../team/store.ts";
import { carriesCsrfToken, cookieValue, isSessionToken, needsCsrfToken } from "./rules/session.ts";
import type { Session, Sessions } from "./store.ts";

/** The sessions of members, by which the public routes are open to people. */
export type MemberSessions = ReturnType<typeof openMemberSessions>;

/** A session with its member as the member is now. */
type MemberSession = { readonly session: Session; readonly member: MemberDocument };

/** Opens the sessions of members; `cookieName` is that of the public port. */
export function openMemberSessions(deps: {
  readonly sessions: Sessions;
  readonly members: Members;
  readonly cookieName: string;
}) {
  const { sessions, members, cookieName } = deps;
  const find = async (token: string, isUse = true): Promise<MemberSession | undefined> => {
    const session = await sessions.find(token, "member", isUse);
    const member = session?.memberId && (await findMember(members, session.memberId));
    return session && member ? { session, member } : undefined;
  };
  return {
    find,
    /** Whether a session goes on, which a page that is only open does not prolong. */
    isGood: async (token: string): Promise<boolean> => (await find(token, false)) !== undefined,
    /** The token that a request shows; nothing where it has none of the right form. */
    tokenOf: ({ headers }: IncomingMessage): string | undefined => {
      const token = cookieValue(headers.cookie, cookieName);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    /** The member of a token, as a caller of the public routes. */
    callerOf: async (
      token: string,
      method: string,
      csrfTokens: readonly string[],
    ): Promise<Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">> => {
      const found = await find(token);
      if (found === undefined) {
        return refused("UNAUTHENTICATED", "The session has ended. Sign in again.");
      }
      if (needsCsrfToken(method) && !carriesCsrfToken(token, csrfTokens)) {
        return refusedBecause("ACCESS_FORBIDDEN", "csrf_token_missing");
      }
      const { _id: id, merchant_id: merchantId, role, root = id } = found.member;
      const { signedInAt } = found.session;
      const limits = { scopes: scopesOf(role), sourceCidrs: [], endsAt: undefined };
      return { merchantId, ...limits, actor: { kind: "member", id, root }, signedInAt };
    },
  };
}
