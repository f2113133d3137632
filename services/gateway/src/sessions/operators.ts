import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Verify } from "@disburse/chassis/identity/verifier.ts";
import type { Principal } from "@disburse/chassis/principal.ts";
import { type Provider, SignInRefused } from "./provider.ts";
import { cookieValue, isSessionToken } from "./rules/session.ts";
import type { OperatorTokens, Session, Sessions } from "./store.ts";

export type OperatorSessions = ReturnType<typeof openOperatorSessions>;

export type OperatorPrincipal = Extract<Principal, { kind: "person" }>;

/**
 * Access tokens are renewed this long before they expire. A forwarded call takes time, and its
 * token must stay valid until the service checks it.
 */
const renewBeforeMs = 30_000;

/** `cookieName` is the name of the operator API proxy's session cookie. */
export function openOperatorSessions(deps: {
  readonly sessions: Sessions;
  readonly verify: Verify;
  readonly provider: Provider | undefined;
  readonly cookieName: string;
}) {
  const { sessions, verify, provider, cookieName } = deps;
  const renewing = new Map<string, Promise<OperatorTokens | undefined>>();

  /**
   * Returns the operator with an access token, or `undefined` if the services would reject the
   * token.
   */
  const personOf = async (accessToken: string): Promise<OperatorPrincipal | undefined> => {
    try {
      const principal = await verify(`Bearer ${accessToken}`);
      return principal.kind === "person" ? principal : undefined;
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.Unauthenticated) return undefined;
      throw error;
    }
  };

  /**
   * Renews a session's tokens. Concurrent calls share one renewal, because a refresh token can be
   * used only once.
   */
  const renewed = (token: string, session: Session): Promise<OperatorTokens | undefined> => {
    const running = renewing.get(session.id);
    if (running !== undefined) return running;
    const renew = async (): Promise<OperatorTokens | undefined> => {
      const { refreshToken } = session.tokens ?? {};
      if (provider === undefined || refreshToken === undefined) return undefined;
      try {
        const tokens = await provider.refresh(refreshToken);
        await sessions.renew(session, tokens);
        return tokens;
      } catch (error) {
        if (!(error instanceof SignInRefused)) throw error;
        // Another gateway may have used the refresh token in the meantime.
        const other = (await sessions.find(token, "operator"))?.tokens;
        return other !== undefined && isGood(other) ? other : undefined;
      }
    };
    const work = renew().finally(() => renewing.delete(session.id));
    renewing.set(session.id, work);
    return work;
  };

  return {
    personOf,
    /** Returns the session token of the request, if it has the right form. */
    tokenOf: ({ headers }: IncomingMessage): string | undefined => {
      const token = cookieValue(headers.cookie, cookieName);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    /**
     * Returns the session with a valid access token. Returns `undefined` if the session has ended.
     */
    find: async (token: string) => {
      const session = await sessions.find(token, "operator");
      if (session?.tokens === undefined) return undefined;
      const tokens = isGood(session.tokens) ? session.tokens : await renewed(token, session);
      const principal = tokens && (await personOf(tokens.accessToken));
      // The session ends if the provider rejects its tokens or the services reject the new access
      // token.
      if (tokens === undefined || principal === undefined) {
        await sessions.end(token);
        return undefined;
      }
      return { session, principal, accessToken: tokens.accessToken };
    },
  };
}

const isGood = ({ endsAtMs }: OperatorTokens): boolean => endsAtMs - Date.now() > renewBeforeMs;
