import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { bearerToken, type Mode, readKey } from "../domain/api-key.ts";
import { admit, type Caller } from "../domain/key-access.ts";
import { headerValues } from "../domain/request-head.ts";
import { callerAddress } from "../domain/source-address.ts";
import type { KeyCache } from "../key-cache.ts";

export type Authenticate = (
  request: IncomingMessage,
) => Promise<Caller | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">>;

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
