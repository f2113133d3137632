import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { KeyCache } from "../keys/cache.ts";
import { admit, type Caller } from "../keys/rules/access.ts";
import { bearerToken, type Mode, readKey } from "../keys/rules/api-key.ts";
import { callerAddress } from "../keys/rules/source-address.ts";
import { headerValues } from "./rules/request.ts";

/** Whose request it is, or why it is refused. */
export type Authenticate = (
  request: IncomingMessage,
) => Promise<Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">>;

/** Where keys are found, and what they are checked against. */
export type AuthenticateDeps = {
  readonly keys: KeyCache;
  readonly mode: Mode;
  readonly pepper: Uint8Array;
  readonly proxies: BlockList;
  readonly clock: Clock;
};

/**
 * Resolves the API key of a request to its merchant. A key of wrong form costs no database read.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (request) => {
    const token = bearerToken(headerValues(request.rawHeaders, "authorization"));
    const presented = token === undefined ? undefined : readKey(token);
    if (presented === undefined || presented.mode !== deps.mode) return refused("UNAUTHENTICATED");
    const forwarded = headerValues(request.rawHeaders, "x-forwarded-for").join(",");
    const peer = request.socket.remoteAddress ?? "";
    return admit(await deps.keys.find(presented.id), presented, {
      now: deps.clock.now(),
      mode: deps.mode,
      address: callerAddress(peer, forwarded === "" ? undefined : forwarded, deps.proxies),
      pepper: deps.pepper,
    });
  };
}
