import {
  allowInsecureRequests,
  type Configuration,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  tokenRevocation,
} from "openid-client";
import { CommandError, usageError } from "../output/failure.ts";
import type { Target } from "./target.ts";
import type { Login } from "./token-file.ts";

/**
 * Connects to the target's OpenID provider. Allows plain http only on this machine, for sandboxes.
 */
async function providerOf({ name, issuer, clientId }: Target): Promise<Configuration> {
  if (issuer === undefined) {
    throw usageError(`${name} has no issuer: set DISBURSE_ISSUER or use a profile`);
  }
  const url = new URL(issuer);
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !isLocal) throw usageError("the issuer must be an https URL");
  const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
  return reached(issuer, () => discovery(url, clientId, undefined, None(), { execute }));
}

export type DevicePrompt = {
  readonly url: string;
  readonly code: string;
  /** The verification URL that includes the code, or "" if the provider sends none. */
  readonly completeUrl: string;
  readonly expiresInSeconds: number;
};

/** Signs a person in with the device flow (RFC 8628); `show` displays the URL and code. */
export async function signIn(
  target: Target,
  show: (prompt: DevicePrompt) => void,
  now: () => Date,
): Promise<Login> {
  const provider = await providerOf(target);
  const issuer = target.issuer ?? "";
  const device = await reached(issuer, () =>
    initiateDeviceAuthorization(provider, { scope: target.scope }),
  );
  show({
    url: device.verification_uri,
    code: device.user_code,
    completeUrl: device.verification_uri_complete ?? "",
    expiresInSeconds: device.expires_in,
  });
  const tokens = await reached(issuer, () => pollDeviceAuthorizationGrant(provider, device));
  return loginOf(tokens, now());
}

/** Exchanges a refresh token for new tokens; the provider may rotate the refresh token. */
export async function refresh(target: Target, login: Login, now: () => Date): Promise<Login> {
  const provider = await providerOf(target);
  const { refresh_token = "" } = login;
  const tokens = await reached(target.issuer ?? "", () =>
    refreshTokenGrant(provider, refresh_token),
  );
  return loginOf(tokens, now(), refresh_token);
}

/** Revokes a login's refresh token, if the provider supports revocation. */
export async function signOut(target: Target, { refresh_token }: Login): Promise<void> {
  if (refresh_token === undefined) return;
  const provider = await providerOf(target);
  if (provider.serverMetadata().revocation_endpoint === undefined) return;
  await reached(target.issuer ?? "", () => tokenRevocation(provider, refresh_token));
}

/**
 * Lifetime of a token in seconds, if the provider omits `expires_in`. Live mode allows at most 15
 * minutes.
 */
const secondsDefault = 900;

function loginOf(
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  now: Date,
  refreshToken?: string,
): Login {
  const { access_token, refresh_token = refreshToken } = tokens;
  const seconds = tokens.expiresIn() ?? secondsDefault;
  return {
    access_token,
    expires_at: now.getTime() + seconds * 1_000,
    ...(refresh_token !== undefined && { refresh_token }),
  };
}

/** Runs a request to the provider and turns its failure into a `CommandError`. */
async function reached<T>(issuer: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const { error, error_description: described } = cause as Record<string, unknown>;
    if (typeof error === "string") {
      const why = typeof described === "string" ? `${error}: ${described}` : error;
      throw new CommandError(`the sign-in failed (${why})`, {
        exit: "identity",
        code: error,
        cause,
      });
    }
    const problem = `${issuer} does not respond as an OpenID provider`;
    throw new CommandError(problem, { exit: "unavailable", code: "unavailable", cause });
  }
}
