import type { Configuration, TokenEndpointResponse } from "openid-client";
import type { OperatorTokens } from "./store.ts";

/** The OpenID provider that people sign in at, and as whose client. */
export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent of a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
};

/** What a sign-in under way is checked by when it comes back. */
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** Who has signed in, as the provider says. */
export type SignedIn = {
  readonly issuer: string;
  readonly id: string;
  readonly name: string;
  /** "" where the provider names none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** In seconds since the epoch, where the provider says it. */
  readonly authTime: number | undefined;
  readonly tokens: OperatorTokens;
};

/** A provider that refused: the person may try again, or is not who may sign in. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}

/** An OpenID provider, which is asked for what it offers when the first person signs in. */
export type Provider = ReturnType<typeof createProvider>;

/** The provider answers people who wait for a page. */
const timeoutSeconds = 5;
/** RFC 6749 recommends that providers say it; a quarter of an hour is the most in live mode. */
const tokenSecondsDefault = 900;
/** A fresh sign-in is at most so old when it comes back: a person reads a code on a phone. */
const freshSeconds = 300;

/** `openid-client` is loaded with the first sign-in: most starts never need it. */
const library = () => import("openid-client");

/** What the provider offers; asked for until it has answered once. */
function createDiscovery({ issuer, clientId, clientSecret }: ProviderSettings) {
  let known: Promise<Configuration> | undefined;
  const discover = async () => {
    const { allowInsecureRequests, ClientSecretBasic, discovery, None } = await library();
    // Over plain http on this machine alone, as `config.ts` has checked.
    const execute = issuer.startsWith("http:") ? [allowInsecureRequests] : [];
    const proof = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    const options = { execute, timeout: timeoutSeconds };
    return discovery(new URL(issuer), clientId, undefined, proof, options);
  };
  return (): Promise<Configuration> => {
    if (known === undefined) {
      const asked = discover();
      known = asked;
      asked.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}

/** Signs people in by the authorization code flow with PKCE. */
export function createProvider(settings: ProviderSettings) {
  const configuration = createDiscovery(settings);
  return {
    /** Where a person signs in, and what the answer is checked by. */
    begin: async (
      redirectUri: string,
      isFresh: boolean,
    ): Promise<{ url: string; checks: Checks }> => {
      const oidc = await library();
      const checks = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: "openid profile email",
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
        ...(isFresh && { prompt: "login", max_age: String(freshSeconds) }),
      });
      return { url: url.href, checks };
    },
    /** Who signed in, by the address that the provider sent the browser back to. */
    complete: async (answer: URL, checks: Checks, isFresh: boolean): Promise<SignedIn> => {
      const oidc = await library();
      const tokens = await refusable(oidc, async () =>
        oidc.authorizationCodeGrant(await configuration(), answer, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
          ...(isFresh && { maxAge: freshSeconds }),
        }),
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInRefused("the provider sent no id token");
      const { sub, iss, auth_time: authTime } = claims;
      const text = (name: string) => (typeof claims[name] === "string" ? claims[name] : "");
      return {
        issuer: iss,
        id: sub,
        name: text("name") || sub,
        email: text("email"),
        isEmailVerified: claims.email_verified === true,
        authTime,
        tokens: tokensOf(tokens),
      };
    },
    /** New tokens for a refresh token, which may be a new one too. */
    refresh: async (refreshToken: string): Promise<OperatorTokens> => {
      const oidc = await library();
      const tokens = await refusable(oidc, async () =>
        oidc.refreshTokenGrant(await configuration(), refreshToken),
      );
      return tokensOf(tokens, refreshToken);
    },
  };
}

function tokensOf(tokens: TokenEndpointResponse, before?: string): OperatorTokens {
  const { access_token, refresh_token = before, expires_in = tokenSecondsDefault } = tokens;
  return {
    accessToken: access_token,
    endsAtMs: Date.now() + expires_in * 1_000,
    refreshToken: refresh_token,
  };
}

/** Tells what the provider, or a check of its answer, refused from what never came. */
async function refusable<T>(
  {
    ClientError,
    ResponseBodyError,
    AuthorizationResponseError,
  }: Awaited<ReturnType<typeof library>>,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isRefused =
      error instanceof ResponseBodyError ||
      error instanceof AuthorizationResponseError ||
      (error instanceof ClientError && error.code !== "OAUTH_TIMEOUT");
    if (isRefused) throw new SignInRefused("the sign-in was refused", { cause: error });
    throw error;
  }
}
