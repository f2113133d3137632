import { CommandError, notLoggedIn } from "../output/failure.ts";
import type { TokenSource, World } from "../table/world.ts";
import { refresh } from "./sign-in.ts";
import type { Target } from "./target.ts";
import { type Login, openTokenFile, type TokenFile, tokenFilePath } from "./token-file.ts";

/** A token is renewed so long before it ends: a call and its hops take a while. */
const renewBeforeMs = 30_000;

/** Where a token comes from, in words. */
type Origin = "DISBURSE_TOKEN" | "login" | "grpc_token";

/** Who calls: where the token of a run comes from, and the token. */
export type Identity = {
  readonly origin: Origin | undefined;
  /** The token as it is at hand, possibly expired; "" without one. */
  readonly peek: () => string;
  /** A token that is good now; throws where there is none. */
  readonly token: TokenSource;
};

/** The key of a target's login. */
export function loginKey({ issuer = "", clientId }: Target): string {
  return `${issuer} ${clientId}`;
}

/** Who calls a target: `DISBURSE_TOKEN`, else the login, else the token of a sandbox's file. */
export function identityOf(world: World, target: Target): Identity {
  const file = openTokenFile(tokenFilePath(world));
  const { token, sandboxToken } = target;
  if (token !== undefined) return constant("DISBURSE_TOKEN", token);
  const login = target.issuer === undefined ? undefined : file.read(loginKey(target));
  if (login !== undefined) {
    let renewed: Promise<Login> | undefined;
    const good = () => {
      renewed ??= goodLogin(world, target, file);
      return renewed;
    };
    return {
      origin: "login",
      peek: () => file.read(loginKey(target))?.access_token ?? "",
      token: async () => (await good()).access_token,
    };
  }
  if (sandboxToken !== undefined) return constant("grpc_token", sandboxToken);
  return {
    origin: undefined,
    peek: () => "",
    token: () => Promise.reject(notLoggedIn(`not logged in to ${target.name}: disburse login`)),
  };
}

const constant = (origin: Origin, token: string): Identity => ({
  origin,
  peek: () => token,
  token: async () => token,
});

/** The login, renewed where its token ends soon. */
async function goodLogin(world: World, target: Target, file: TokenFile): Promise<Login> {
  const key = loginKey(target);
  const login = file.read(key);
  if (login !== undefined && isGood(login, world)) return login;
  if (login?.refresh_token === undefined) throw expired();
  try {
    const renewed = await refresh(target, login, world.now);
    file.write(key, renewed);
    return renewed;
  } catch (error) {
    // A refresh token is good once: another command may have used it meanwhile.
    const other = file.read(key);
    if (other !== undefined && isGood(other, world)) return other;
    const isEnded = error instanceof CommandError && error.exit === "identity";
    throw isEnded ? expired(error) : error;
  }
}

const isGood = ({ expires_at }: Login, { now }: World) =>
  expires_at - now().getTime() > renewBeforeMs;

function expired(cause?: unknown): CommandError {
  const problem = "the login has ended: disburse login";
  return new CommandError(problem, { exit: "identity", code: "not_logged_in", cause });
}

/** What an access token says of its person; nothing of one that is no JWT. Services verify it. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ""] = token.split(".");
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  } catch {
    // An opaque token says nothing here, and is sent as it is.
    return {};
  }
}
