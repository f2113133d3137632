import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { dataAnswer, type PageAnswer, refusalAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import { headerValues } from "../http/rules/request.ts";
import type { PublicRoute } from "../http/static.ts";
import type { Mode } from "../keys/rules/key.ts";
import { type Checks, type SignedIn, SignInRefused } from "../sessions/provider.ts";
import {
  carriesCsrfToken,
  consolePath,
  cookieHeader,
  cookieValue,
  csrfToken,
  isSessionToken,
  returnPath,
  wholeMs,
} from "../sessions/rules/session.ts";
import type { Sessions } from "../sessions/store.ts";
import { messagePage } from "./pages.ts";
import type { Portal } from "./portal.ts";

/** What sessions are served with. */
export type SessionRouteDeps = {
  readonly portal: Portal;
  readonly sessions: Sessions;
  readonly cookieName: string;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly mode: Mode;
  readonly log: Log;
};

/** A person finds a password in this time. */
const signInSeconds = 600;
/** A browser asks for the password after a sign-out, for as long as a working day. */
const signedOutSeconds = wholeMs / 1_000;

/** A sign-in under way, sealed in a cookie of the browser that began it. */
type Begun = {
  readonly checks: Checks;
  readonly returnTo: string;
  readonly isFresh: boolean;
  readonly merchantId?: string | undefined;
  /** The session that the new one takes the place of: the provider's redirect does not show it. */
  readonly before?: string | undefined;
  readonly untilMs: number;
};

/** The routes of a portal's sessions: who has signed in, signing in, and out. */
export function sessionRoutes(deps: SessionRouteDeps): readonly PublicRoute[] {
  const { portal, sessions, clock, log } = deps;
  const cookies = cookiesOf(deps);

  const begin = async (ctx: RouterContext): Promise<PageAnswer> => {
    const { origin, provider } = portal;
    if (origin === undefined || provider === undefined) return closedPage();
    // Cookies are of one host: the one that the provider sends the browser back to.
    if (ctx.host !== new URL(origin).host) return redirect(`${origin}${ctx.url}`);
    const query = new URLSearchParams(ctx.querystring);
    const isFresh = query.get("again") === "true" || cookies.isSignedOut(ctx);
    const { url, checks } = await provider.begin(`${origin}${callbackPath}`, isFresh);
    const returnTo = returnPath(query.get("return_to") ?? undefined);
    const merchantId = query.get("merchant_id") ?? undefined;
    const untilMs = clock.now().getTime() + signInSeconds * 1_000;
    const before = cookies.session(ctx);
    cookies.setBegun(ctx, { checks, returnTo, isFresh, merchantId, before, untilMs });
    return redirect(url);
  };

  const complete = async (ctx: RouterContext): Promise<PageAnswer> => {
    const { origin = "", provider } = portal;
    const begun = cookies.begun(ctx);
    if (provider === undefined || begun === undefined || begun.untilMs < clock.now().getTime()) {
      return messagePage(400, "Too late", "This sign-in has ended.");
    }
    cookies.clearBegun(ctx);
    const { checks, isFresh, merchantId, returnTo, before } = begun;
    let signedIn: SignedIn;
    try {
      signedIn = await provider.complete(new URL(ctx.url, origin), checks, isFresh);
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      log.warn({ err: error }, "sign-in refused");
      return messagePage(401, "That did not work", "The sign-in was refused.");
    }
    const session = await portal.admit(signedIn, merchantId);
    if (session === undefined) return messagePage(403, "Not for you", notFor[portal.kind]);
    if (before !== undefined) await sessions.end(before);
    cookies.setSession(ctx, await sessions.begin(session));
    return redirect(returnTo);
  };

  const signOut = async (ctx: RouterContext): Promise<PageAnswer> => {
    const token = cookies.session(ctx);
    if (token === undefined) return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
    if (!carriesCsrfToken(token, headerValues(ctx.req.rawHeaders, "x-csrf-token"))) {
      return refusalAnswer(refusedBecause("ACCESS_FORBIDDEN", "csrf_token_missing"));
    }
    await sessions.end(token);
    cookies.clearSession(ctx);
    return dataAnswer({});
  };

  return [
    { path: sessionPath, answer: showSession(deps, cookies) },
    { path: `${sessionPath}/login`, answer: begin },
    { path: callbackPath, answer: complete },
    { path: `${sessionPath}/logout`, method: "POST", answer: signOut },
  ];
}

/** Says who has signed in. */
function showSession({ portal, mode }: SessionRouteDeps, cookies: Cookies) {
  return async (ctx: RouterContext): Promise<PageAnswer> => {
    const token = cookies.session(ctx);
    const found = token === undefined ? undefined : await portal.describe(token);
    if (token === undefined || found === undefined) {
      return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
    }
    const { person, merchant, roles, scopes, endsAt, signedInAt } = found;
    return dataAnswer({
      ...{ person, kind: portal.kind, merchant, roles, scopes },
      csrf_token: csrfToken(token),
      expires_at: endsAt.toISOString(),
      ...{ mode, signed_in_at: signedInAt.toISOString() },
    });
  };
}

const sessionPath = `${consolePath}session`;
const callbackPath = `${sessionPath}/callback`;

const notFor: Readonly<Record<Portal["kind"], string>> = {
  member: "You are a member of no merchant's team here. An admin of your team can add you.",
  operator: "You have no role of an operator.",
};

const closedPage = () =>
  messagePage(503, "No sign-in here", "This deployment names no OpenID provider to sign in at.");

function redirect(url: string): PageAnswer {
  return { status: 303, headers: { Location: url }, body: "" };
}

type Cookies = ReturnType<typeof cookiesOf>;

/** The cookies of a portal. They are of its host, and of no other port's portal. */
function cookiesOf({ portal, cookieName, sealer }: SessionRouteDeps) {
  const isSecure = portal.origin?.startsWith("https:") ?? false;
  const begunName = `${cookieName}_begun`;
  const signedOutName = `${cookieName}_out`;
  const context = `sign-in|${portal.kind}`;
  const set = (
    ctx: RouterContext,
    cookie: { name: string; value: string; sameSite: "Strict" | "Lax"; seconds: number },
  ) => ctx.append("Set-Cookie", cookieHeader({ ...cookie, isSecure }));
  const read = ({ req }: RouterContext, name: string) => cookieValue(req.headers.cookie, name);
  return {
    session: (ctx: RouterContext): string | undefined => {
      const token = read(ctx, cookieName);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    setSession: (ctx: RouterContext, value: string): void => {
      const seconds = wholeMs / 1_000;
      set(ctx, { name: cookieName, value, sameSite: "Strict", seconds });
      set(ctx, { name: signedOutName, value: "", sameSite: "Lax", seconds: 0 });
    },
    clearSession: (ctx: RouterContext): void => {
      set(ctx, { name: cookieName, value: "", sameSite: "Strict", seconds: 0 });
      set(ctx, { name: signedOutName, value: "1", sameSite: "Lax", seconds: signedOutSeconds });
    },
    isSignedOut: (ctx: RouterContext): boolean => read(ctx, signedOutName) === "1",
    /** Lax: the provider, which is of another site, sends the browser back with it. */
    setBegun: (ctx: RouterContext, begun: Begun): void => {
      const value = sealer.seal(JSON.stringify(begun), context);
      set(ctx, { name: begunName, value, sameSite: "Lax", seconds: signInSeconds });
    },
    clearBegun: (ctx: RouterContext): void =>
      set(ctx, { name: begunName, value: "", sameSite: "Lax", seconds: 0 }),
    /** Nothing where the cookie is not there, or not of ours. */
    begun: (ctx: RouterContext): Begun | undefined => {
      const value = read(ctx, begunName);
      if (value === undefined) return undefined;
      try {
        return JSON.parse(sealer.open(value, context)) as Begun;
      } catch {
        // Altered, or sealed under a key that is gone: no sign-in of ours.
        return undefined;
      }
    },
  };
}
