import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { readBody } from "../http/body.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import type { MemberSessions } from "../sessions/members.ts";
import type { Session } from "../sessions/store.ts";
import {
  acceptInvitation,
  declineInvitation,
  type MemberDocument,
  type Members,
  membershipsOf,
  noteSignIn,
  type SignedInPerson,
} from "../team/store.ts";
import type { MerchantNames } from "./portal.ts";
import { teamOf } from "./portal.ts";
import {
  describeSession,
  type SessionRouteDeps,
  sessionPath,
  tokenToChange,
} from "./session-routes.ts";

type TeamRouteDeps = Pick<SessionRouteDeps, "portal" | "mode" | "cookies" | "sessions"> & {
  readonly members: Members;
  readonly memberSessions: MemberSessions;
  readonly merchantNames: MerchantNames;
  readonly clock: Clock;
};

/** The person who requests a change, with the person's session and its token. */
type Asking = {
  readonly token: string;
  readonly session: Session;
  readonly person: SignedInPerson;
};

/**
 * Lets a signed-in person accept or decline invitations and switch the session to another team.
 * Every change requires a POST with the CSRF token, so a link alone can't cause a change.
 */
export function teamRoutes(deps: TeamRouteDeps): readonly PublicRoute[] {
  const { members, clock } = deps;
  const invitation = `${sessionPath}/invitations/:memberId`;
  return [
    {
      method: "POST",
      path: `${sessionPath}/merchant`,
      answer: (ctx) =>
        byPerson(deps, ctx, async (asking) => {
          const body = await readBody(ctx, false);
          if (isRefused(body)) return refusalAnswer(body);
          const own = await membershipsOf(members, asking.person);
          const member = own.find(({ _id }) => _id === body.member_id);
          return member === undefined ? noSuchTeam : moveTo(deps, ctx, asking, member);
        }),
    },
    {
      method: "POST",
      path: `${invitation}/accept`,
      answer: (ctx) =>
        byPerson(deps, ctx, async (asking) => {
          const { memberId } = ctx.params as { readonly memberId: string };
          const member = await acceptInvitation(members, asking.person, memberId, clock.now());
          if (member === undefined) return noSuchTeam;
          // A person who already works in another team stays there.
          if (asking.session.memberId === undefined) return moveTo(deps, ctx, asking, member);
          return describeSession(deps, asking.token);
        }),
    },
    {
      method: "POST",
      path: `${invitation}/decline`,
      answer: (ctx) =>
        byPerson(deps, ctx, async ({ person, token }) => {
          const { memberId } = ctx.params as { readonly memberId: string };
          const isDeclined = await declineInvitation(members, person, memberId, clock.now());
          return isDeclined ? describeSession(deps, token) : noSuchTeam;
        }),
    },
  ];
}

const noSuchTeam = refusalAnswer(refused("RECORD_NOT_FOUND"));

/** Calls the handler only if the request has a session and its CSRF token. */
async function byPerson(
  { cookies, memberSessions }: TeamRouteDeps,
  ctx: RouterContext,
  answer: (asking: Asking) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const token = tokenToChange(ctx, cookies);
  if (isRefused(token)) return refusalAnswer(token);
  const found = await memberSessions.findPerson(token);
  const person = found?.session.subject;
  if (found === undefined || person === undefined) {
    return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
  }
  return answer({ token, session: found.session, person });
}

/** Moves the session to another team, under a new token. */
async function moveTo(
  deps: TeamRouteDeps,
  ctx: RouterContext,
  { token, session }: Asking,
  member: MemberDocument,
): Promise<PageAnswer> {
  const { members, sessions, cookies, clock, merchantNames } = deps;
  const now = clock.now();
  await noteSignIn(members, member._id, { signed_in_at: session.signedInAt, chosen_at: now });
  const next = await sessions.moveTo(session, token, await teamOf(members, member, merchantNames));
  if (next === undefined) return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
  cookies.setSession(ctx, next);
  return describeSession(deps, next);
}
