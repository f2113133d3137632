import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Verify } from "@disburse/chassis/identity/verifier.ts";
import type { Principal } from "@disburse/chassis/principal.ts";
import { type Provider, SignInRefused } from "./provider.ts";
import { cookieValue, isSessionToken } from "./rules/session.ts";
import type { OperatorTokens, Session, Sessions } from "./store.ts";

/** The sessions of operators, with the access tokens by which their calls are made. */
export type OperatorSessions = ReturnType<typeof openOperatorSessions>;

/** A person of the operator's team. */
export type OperatorPrincipal = Extract<Principal, { kind: "person" }>;

/** A token is renewed so long before it ends: a call and its hops take a while. */
const renewBeforeMs = 30_000;

/** Opens the sessions of operators; `cookieName` is that of the operators' door. */
export function openOperatorSessions(deps: {
  readonly sessions: Sessions;
  readonly verify: Verify;
  readonly provider: Provider | undefined;
  readonly cookieName: string;
}) {
  const { sessions, verify, provider, cookieName } = deps;
  const renewing = new Map<string, Promise<OperatorTokens | undefined>>();

  /** The person of an access token; nothing where it names none that services believe. */
  const personOf = async (accessToken: string): Promise<OperatorPrincipal | undefined> => {
    try {
      const principal = await verify(`Bearer ${accessToken}`);
      return principal.kind === "person" ? principal : undefined;
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.Unauthenticated) return undefined;
      throw error;
    }
  };

  /** A refresh token is good once: calls that come together share its answer. */
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
        // Another gateway may have used it meanwhile.
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
    /** The token that a request shows; nothing where it has none of the right form. */
    tokenOf: ({ headers }: IncomingMessage): string | undefined => {
      const token = cookieValue(headers.cookie, cookieName);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    /** The session of a token, with an access token that is good; nothing where it has ended. */
    find: async (token: string) => {
      const session = await sessions.find(token, "operator");
      if (session?.tokens === undefined) return undefined;
      const tokens = isGood(session.tokens) ? session.tokens : await renewed(token, session);
      const principal = tokens && (await personOf(tokens.accessToken));
      // The provider, or the services' trust in it, has ended: so has the session.
      if (tokens === undefined || principal === undefined) {
        await sessions.end(token);
        return undefined;
      }
      return { session, principal, accessToken: tokens.accessToken };
    },
  };
}

const isGood = ({ endsAtMs }: OperatorTokens): boolean => endsAtMs - Date.now() > renewBeforeMs;
