import type { Configuration, TokenEndpointResponse } from "openid-client";
import type { OperatorTokens } from "./store.ts";

/** The OpenID provider and our client registration there. */
export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. PKCE alone protects such a client. */
  readonly clientSecret: string | undefined;
};

/** Values that verify the provider's response to a sign-in. */
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** A signed-in person, as the provider reports it. */
export type SignedIn = {
  readonly issuer: string;
  readonly id: string;
  readonly name: string;
  /** `""` if the provider reports no email. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** Time of the sign-in in seconds since the epoch, if the provider reports it. */
  readonly authTime: number | undefined;
  readonly tokens: OperatorTokens;
};

/**
 * The provider refused the sign-in. The person can retry, unless the person may not sign in at all.
 */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}

export type Provider = ReturnType<typeof createProvider>;

/** Timeout of a request to the provider. A person waits for the page meanwhile. */
const timeoutSeconds = 5;
/**
 * Lifetime of a token in seconds if the provider doesn't send one. RFC 6749 recommends sending it.
 * Live mode allows at most 15 minutes.
 */
const tokenSecondsDefault = 900;
/**
 * Maximum age of a fresh sign-in when the person returns from the provider. Allows time to read a
 * code on a phone.
 */
const freshSeconds = 300;
/** With a `max_age`, OpenID providers report when the person signed in. This one asks no one again. */
const anyAgeSeconds = 31_536_000;

/** `openid-client` is loaded at the first sign-in, because most processes never need it. */
const library = () => import("openid-client");

/** Reads the provider's configuration. Retries until the first success, then caches it. */
function createDiscovery({ issuer, clientId, clientSecret }: ProviderSettings) {
  let known: Promise<Configuration> | undefined;
  const discover = async () => {
    const { allowInsecureRequests, ClientSecretBasic, discovery, None } = await library();
    // `config.ts` has checked that plain http is used only for a provider on this machine.
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
    /**
     * Returns the URL at which the person signs in, and the values that verify the provider's
     * response.
     */
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
        max_age: String(isFresh ? freshSeconds : anyAgeSeconds),
        ...(isFresh && { prompt: "login" }),
      });
      return { url: url.href, checks };
    },
    /** Returns the signed-in person. `answer` is the URL that the provider redirected to. */
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
    /** Returns new tokens for a refresh token. The provider may also replace the refresh token. */
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

/**
 * Runs a request to the provider. Converts a refusal or an invalid response to `SignInRefused`. A
 * missing response remains an ordinary error.
 */
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
