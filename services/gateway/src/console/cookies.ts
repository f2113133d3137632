import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { RouterContext } from "../http/observe.ts";
import type { Checks } from "../sessions/provider.ts";
import { cookieHeader, cookieValue, isSessionToken, wholeMs } from "../sessions/rules/session.ts";
import type { Portal } from "./portal.ts";

type CookieDeps = {
  readonly portal: Pick<Portal, "kind" | "origin">;
  readonly cookieName: string;
  readonly sealer: Sealer;
};

/** Time limit for a sign-in. Allows a person time to find a password. */
export const signInSeconds = 600;
/** For one working day after a sign-out, the provider must ask for the password again. */
const signedOutSeconds = wholeMs / 1_000;

/** A sign-in in progress, encrypted in a cookie of the browser that started it. */
export type Begun = {
  readonly checks: Checks;
  readonly returnTo: string;
  readonly isFresh: boolean;
  /**
   * Token of the session that the sign-in replaces. The browser doesn't send the session cookie on
   * the provider's redirect, so the token is kept here.
   */
  readonly previous?: string | undefined;
  readonly untilMs: number;
};

export type Cookies = ReturnType<typeof cookiesOf>;

/** The cookies of one portal. Each port uses different cookie names. */
export function cookiesOf({ portal, cookieName, sealer }: CookieDeps) {
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
    /**
     * SameSite must be Lax: the provider redirects from another site, and the browser must send
     * this cookie then.
     */
    setBegun: (ctx: RouterContext, begun: Begun): void => {
      const value = sealer.seal(JSON.stringify(begun), context);
      set(ctx, { name: begunName, value, sameSite: "Lax", seconds: signInSeconds });
    },
    clearBegun: (ctx: RouterContext): void =>
      set(ctx, { name: begunName, value: "", sameSite: "Lax", seconds: 0 }),
    /** Returns `undefined` for a missing or altered cookie. */
    begun: (ctx: RouterContext): Begun | undefined => {
      const value = read(ctx, begunName);
      if (value === undefined) return undefined;
      try {
        return JSON.parse(sealer.open(value, context)) as Begun;
      } catch {
        // The cookie was altered or encrypted with a retired key, so it belongs to no valid
        // sign-in.
        return undefined;
      }
    },
  };
}
