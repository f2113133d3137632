import type { Log } from "@disburse/chassis/log.ts";
import { isRefused, type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { dataAnswer, type PageAnswer, refusalAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import { headerValues } from "../http/rules/request.ts";
import type { PublicRoute } from "../http/static.ts";
import type { Mode } from "../keys/rules/key.ts";
import { type SignedIn, SignInRefused } from "../sessions/provider.ts";
import { carriesCsrfToken, consolePath, csrfToken, returnPath } from "../sessions/rules/session.ts";
import type { Sessions } from "../sessions/store.ts";
import { type Cookies, signInSeconds } from "./cookies.ts";
import { messagePage } from "./pages.ts";
import type { Portal } from "./portal.ts";

export type SessionRouteDeps = {
  readonly portal: Portal;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly clock: Clock;
  readonly mode: Mode;
  readonly log: Log;
};

/** Builds a portal's routes for reading a session, signing in and signing out. */
export function sessionRoutes(deps: SessionRouteDeps): readonly PublicRoute[] {
  const { portal, sessions, cookies, clock, log } = deps;

  const begin = async (ctx: RouterContext): Promise<PageAnswer> => {
    const { origin, provider } = portal;
    if (origin === undefined || provider === undefined) return closedPage();
    // A cookie belongs to one host. The provider redirects to the configured host, so the sign-in
    // must start there.
    if (ctx.host !== new URL(origin).host) return redirect(`${origin}${ctx.url}`);
    const query = new URLSearchParams(ctx.querystring);
    const isFresh = query.get("again") === "true" || cookies.isSignedOut(ctx);
    const { url, checks } = await provider.begin(`${origin}${callbackPath}`, isFresh);
    const returnTo = returnPath(query.get("return_to") ?? undefined);
    const untilMs = clock.now().getTime() + signInSeconds * 1_000;
    const previous = cookies.session(ctx);
    cookies.setBegun(ctx, { checks, returnTo, isFresh, previous, untilMs });
    return redirect(url);
  };

  const complete = async (ctx: RouterContext): Promise<PageAnswer> => {
    const { origin = "", provider } = portal;
    const begun = cookies.begun(ctx);
    if (provider === undefined || begun === undefined || begun.untilMs < clock.now().getTime()) {
      return messagePage(400, "Too late", "This sign-in has ended.");
    }
    cookies.clearBegun(ctx);
    const { checks, isFresh, returnTo, previous } = begun;
    let signedIn: SignedIn;
    try {
      signedIn = await provider.complete(new URL(ctx.url, origin), checks, isFresh);
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      log.warn({ err: error }, "a sign-in to the console was refused");
      return messagePage(401, "Sign-in failed", "The sign-in was refused.");
    }
    const session = await portal.admit(signedIn, previous);
    if (session === undefined) return messagePage(403, "Not allowed", notFor[portal.kind]);
    if (previous !== undefined) await sessions.end(previous);
    cookies.setSession(ctx, await sessions.begin(session));
    return redirect(returnTo);
  };

  const signOut = async (ctx: RouterContext): Promise<PageAnswer> => {
    const token = tokenToChange(ctx, cookies);
    if (isRefused(token)) return refusalAnswer(token);
    await sessions.end(token);
    cookies.clearSession(ctx);
    return dataAnswer({});
  };

  return [
    { path: sessionPath, answer: async (ctx) => describeSession(deps, cookies.session(ctx)) },
    { path: `${sessionPath}/login`, answer: begin },
    { path: callbackPath, answer: complete },
    { path: `${sessionPath}/logout`, method: "POST", answer: signOut },
  ];
}

/** Returns the session's token if the request carries its CSRF token. */
export function tokenToChange(
  ctx: RouterContext,
  cookies: Pick<Cookies, "session">,
): string | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN"> {
  const token = cookies.session(ctx);
  if (token === undefined) return refused("UNAUTHENTICATED", "Sign in.");
  return carriesCsrfToken(token, headerValues(ctx.req.rawHeaders, "x-csrf-token"))
    ? token
    : refusedBecause("ACCESS_FORBIDDEN", "csrf_token_missing");
}

export async function describeSession(
  { portal, mode }: Pick<SessionRouteDeps, "portal" | "mode">,
  token: string | undefined,
): Promise<PageAnswer> {
  const found = token === undefined ? undefined : await portal.describe(token);
  if (token === undefined || found === undefined) {
    return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
  }
  const { person, merchant, roles, scopes, endsAt, signedInAt, teams } = found;
  return dataAnswer({
    person,
    kind: portal.kind,
    merchant,
    roles,
    scopes,
    ...teams,
    csrf_token: csrfToken(token),
    expires_at: endsAt.toISOString(),
    mode,
    signed_in_at: signedInAt.toISOString(),
    ...(portal.operatorNames && { operators: await portal.operatorNames() }),
  });
}

export const sessionPath = `${consolePath}session`;
const callbackPath = `${sessionPath}/callback`;

const notFor: Readonly<Record<Portal["kind"], string>> = {
  member: "You are not a member of any merchant's team here. Ask an admin of your team to add you.",
  operator: "You do not have an operator's role.",
};

const closedPage = () =>
  messagePage(503, "No sign-in here", "This deployment has no OpenID provider for signing in.");

function redirect(url: string): PageAnswer {
  return { status: 303, headers: { Location: url }, body: "" };
}
