import type { Client } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { readBody } from "../http/body.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import type { MemberSessions } from "../sessions/members.ts";
import type { Session } from "../sessions/store.ts";
import {
  invitationsOf,
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
  readonly team: Client<typeof TeamService>;
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
  const { members } = deps;
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
          if (!(await answerInvitation(deps, asking, memberId, true))) return noSuchTeam;
          // A person who already works in another team stays there.
          if (asking.session.memberId !== undefined) return describeSession(deps, asking.token);
          const own = await membershipsOf(members, asking.person);
          const member = own.find(({ _id }) => _id === memberId);
          return member === undefined ? noSuchTeam : moveTo(deps, ctx, asking, member);
        }),
    },
    {
      method: "POST",
      path: `${invitation}/decline`,
      answer: (ctx) =>
        byPerson(deps, ctx, async (asking) => {
          const { memberId } = ctx.params as { readonly memberId: string };
          const isDeclined = await answerInvitation(deps, asking, memberId, false);
          return isDeclined ? describeSession(deps, asking.token) : noSuchTeam;
        }),
    },
  ];
}

const noSuchTeam = refusalAnswer(refused("RECORD_NOT_FOUND"));

/** The longest time that a page waits for an answer to be stored. */
const answerTimeoutMs = 5_000;

/**
 * Answers an invitation as the invited member, so that the audit trail has the answer. Returns
 * `false` if the person has no such invitation.
 */
async function answerInvitation(
  { members, team }: TeamRouteDeps,
  { person }: Asking,
  memberId: string,
  accept: boolean,
): Promise<boolean> {
  const invited = (await invitationsOf(members, person)).find(({ _id }) => _id === memberId);
  if (invited === undefined) return false;
  const { issuer, id: subject, email = "" } = person;
  const actor = { kind: Actor_Kind.MEMBER, id: memberId };
  const deadlineMs = Date.now() + answerTimeoutMs;
  await withCallContext({ requestId: crypto.randomUUID(), deadlineMs }, () =>
    team.answerInvitation({
      mutation: { operationId: crypto.randomUUID(), actor },
      merchantId: invited.merchant_id,
      memberId,
      accept,
      person: { issuer, subject, email },
    }),
  );
  return true;
}

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
