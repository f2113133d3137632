import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { callerAddress, senderOf } from "../keys/rules/source-address.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { headerValues } from "./rules/request.ts";

/** A request's address, and the sender that limits count it for. */
export type Origin = { readonly address: string; readonly sender: string };

export type UnauthenticatedClients = ReturnType<typeof createUnauthenticatedClients>;

/**
 * Counts unauthenticated requests by sender. A valid key does not count, so that callers who share
 * an address with an attacker are still served.
 */
export function createUnauthenticatedClients(limiter: RateLimiter, proxies: BlockList) {
  return {
    /** Uses the connection's address, or `X-Forwarded-For` behind our own proxies. */
    originOf: ({ rawHeaders, socket }: IncomingMessage): Origin => {
      const forwarded = headerValues(rawHeaders, "x-forwarded-for").join(",");
      const peer = socket.remoteAddress ?? "";
      const address = callerAddress(peer, forwarded === "" ? undefined : forwarded, proxies);
      return { address, sender: senderOf(address) };
    },
    /** Refuses the request if its sender has made too many. */
    count: ({ sender }: Origin): Refused<"RATE_LIMITED"> | undefined =>
      limiter.take(sender).admitted
        ? undefined
        : refused("RATE_LIMITED", "Too many requests without a valid API key from this address."),
    /** Uncounts a request whose key is valid. */
    forgive: ({ sender }: Origin): void => limiter.giveBack(sender),
  };
}
