import type { Configuration, TokenEndpointResponse } from "openid-client";
import type { OperatorTokens } from "./store.ts";

/** An OpenID provider and our client there. */
export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which only PKCE protects. */
  readonly clientSecret: string | undefined;
};

/** Values that verify the provider's response to a sign-in. */
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** A signed-in person, as the provider reports it. */
export type SignedIn = {
  readonly issuer: string;
  readonly id: string;
  readonly name: string;
  /** `""` if the provider names none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** Seconds since the epoch, if the provider reports it. */
  readonly authTime: number | undefined;
  readonly tokens: OperatorTokens;
};

/** The provider refused. The person may retry, or may not sign in. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}

export type Provider = ReturnType<typeof createProvider>;

/** People wait for a page while the provider responds. */
const timeoutSeconds = 5;
/** RFC 6749 recommends that providers send it. Live mode allows at most a quarter of an hour. */
const tokenSecondsDefault = 900;
/** Maximum age of a fresh sign-in on return: time to read a code on a phone. */
const freshSeconds = 300;

/** `openid-client` loads with the first sign-in. Most starts never need it. */
const library = () => import("openid-client");

/** Reads the provider's configuration. Retries until the first success, then caches it. */
function createDiscovery({ issuer, clientId, clientSecret }: ProviderSettings) {
  let known: Promise<Configuration> | undefined;
  const discover = async () => {
    const { allowInsecureRequests, ClientSecretBasic, discovery, None } = await library();
    // Plain http only on this machine, as `config.ts` has checked.
    const execute = issuer.startsWith("http:") ? [allowInsecureRequests] : [];
    const proof = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    const options = { execute, timeout: timeoutSeconds };
    return discovery(new URL(issuer), clientId, undefined, proof, options);
  };
  return (): Promise<Configuration> => {
    if (known === undefined) {
      const discovering = discover();
      known = discovering;
      discovering.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}

/**
 * Signs people in with the authorization code flow and PKCE. Contacts the provider when the first
 * person signs in.
 */
export function createProvider(settings: ProviderSettings) {
  const configuration = createDiscovery(settings);
  return {
    /** Returns the sign-in URL, and the checks for the provider's response. */
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
    /** Returns the signed-in person for the URL of the provider's redirect. */
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
    /** Returns new tokens. The provider may also replace the refresh token. */
    refresh: async (refreshToken: string): Promise<OperatorTokens> => {
      const oidc = await library();
      const tokens = await refusable(oidc, async () =>
        oidc.refreshTokenGrant(await configuration(), refreshToken),
      );
      return tokensOf(tokens, refreshToken);
    },
  };
}

function tokensOf(tokens: TokenEndpointResponse, previous?: string): OperatorTokens {
  const { access_token, refresh_token = previous, expires_in = tokenSecondsDefault } = tokens;
  return {
    accessToken: access_token,
    endsAtMs: Date.now() + expires_in * 1_000,
    refreshToken: refresh_token,
  };
}

/** Distinguishes a refusal, or a failed check of a response, from a missing response. */
async function refusable<T>(
  {
    ClientError,
    ResponseBodyError,
    AuthorizationResponseError,
  }: Awaited<ReturnType<typeof library>>,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isRefused =
      error instanceof ResponseBodyError ||
      error instanceof AuthorizationResponseError ||
      (error instanceof ClientError && error.code !== "OAUTH_TIMEOUT");
    if (isRefused) throw new SignInRefused("the sign-in was refused", { cause: error });
    throw error;
  }
}
