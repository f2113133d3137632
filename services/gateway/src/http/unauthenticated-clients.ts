import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { callerAddress, senderOf } from "../keys/rules/source-address.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { headerValues } from "./rules/request.ts";

/**
 * `address` is the address that sent a request. `sender` is the address or network that limits
 * count the request for.
 */
export type Origin = { readonly address: string; readonly sender: string };

export type UnauthenticatedClients = ReturnType<typeof createUnauthenticatedClients>;

/**
 * Counts unauthenticated requests by sender. Requests with a valid key don't count, so callers who
 * share an address with an attacker are still served.
 */
export function createUnauthenticatedClients(limiter: RateLimiter, proxies: BlockList) {
  return {
    /** Uses the address of the connection. Behind our own proxies, uses `X-Forwarded-For`. */
    originOf: ({ rawHeaders, socket }: IncomingMessage): Origin => {
      const forwarded = headerValues(rawHeaders, "x-forwarded-for").join(",");
      const peer = socket.remoteAddress ?? "";
      const address = callerAddress(peer, forwarded === "" ? undefined : forwarded, proxies);
      return { address, sender: senderOf(address) };
    },
    /** Counts a request. Returns a refusal if its sender has made too many. */
    count: ({ sender }: Origin): Refused<"RATE_LIMITED"> | undefined =>
      limiter.take(sender).admitted
        ? undefined
        : refused("RATE_LIMITED", "Too many requests without a valid API key from this address."),
    /** Removes a request with a valid key from the count. */
    forgive: ({ sender }: Origin): void => limiter.giveBack(sender),
  };
}
