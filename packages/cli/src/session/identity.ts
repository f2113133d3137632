import { CommandError, notLoggedIn } from "../output/failure.ts";
import type { TokenSource, World } from "../table/world.ts";
import { refresh } from "./sign-in.ts";
import type { Target } from "./target.ts";
import { type Login, openTokenFile, type TokenFile, tokenFilePath } from "./token-file.ts";

/**
 * Renews a token this many milliseconds before it expires, so that the token stays valid during the
 * call.
 */
const renewBeforeMs = 30_000;

type Origin = "DISBURSE_TOKEN" | "login" | "grpc_token";

export type Identity = {
  readonly origin: Origin | undefined;
  /** Returns the stored token, possibly expired, or "". */
  readonly peek: () => string;
  /** Returns a valid token, renewed if necessary; throws without a login. */
  readonly token: TokenSource;
};

/** Returns the key of a target's login in the token file. */
export function loginKey({ issuer = "", clientId }: Target): string {
  return `${issuer} ${clientId}`;
}

/** Uses `DISBURSE_TOKEN`, then the login, then the token in the sandbox's file. */
export function identityOf(world: World, target: Target): Identity {
  const file = openTokenFile(tokenFilePath(world));
  const { token, sandboxToken } = target;
  if (token !== undefined) return constant("DISBURSE_TOKEN", token);
  const login = target.issuer === undefined ? undefined : file.read(loginKey(target));
  if (login !== undefined) {
    let renewed: Promise<Login> | undefined;
    const valid = () => {
      renewed ??= validLogin(world, target, file);
      return renewed;
    };
    return {
      origin: "login",
      peek: () => file.read(loginKey(target))?.access_token ?? "",
      token: async () => (await valid()).access_token,
    };
  }
  if (sandboxToken !== undefined) return constant("grpc_token", sandboxToken);
  return {
    origin: undefined,
    peek: () => "",
    token: () =>
      Promise.reject(notLoggedIn(`not logged in to ${target.name}; run: disburse login`)),
  };
}

const constant = (origin: Origin, token: string): Identity => ({
  origin,
  peek: () => token,
  token: async () => token,
});

/** Returns the login and renews its token if it expires soon. */
async function validLogin(world: World, target: Target, file: TokenFile): Promise<Login> {
  const key = loginKey(target);
  const login = file.read(key);
  if (login !== undefined && isValid(login, world)) return login;
  if (login?.refresh_token === undefined) throw expired();
  try {
    const renewed = await refresh(target, login, world.now);
    file.write(key, renewed);
    return renewed;
  } catch (error) {
    // A refresh token works only once. Another command may have used this one in the meantime.
    const other = file.read(key);
    if (other !== undefined && isValid(other, world)) return other;
    const isEnded = error instanceof CommandError && error.exit === "identity";
    throw isEnded ? expired(error) : error;
  }
}

const isValid = ({ expires_at }: Login, { now }: World) =>
  expires_at - now().getTime() > renewBeforeMs;

function expired(cause?: unknown): CommandError {
  const problem = "the login has expired; run: disburse login";
  return new CommandError(problem, { exit: "identity", code: "not_logged_in", cause });
}

/**
 * Decodes a token's claims without verifying them, because services verify them. Returns no claims
 * for an opaque token.
 */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ""] = token.split(".");
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  } catch {
    return {};
  }
}
