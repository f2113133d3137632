import type { IncomingMessage } from "node:http";
import type { BlockList } from "node:net";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { callerAddress, senderOf } from "../keys/rules/source-address.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { headerValues } from "./rules/request.ts";

/** Where a request comes from: its address, and whom limits count that as. */
export type Origin = { readonly address: string; readonly sender: string };

/** Limits what comes from an address before, or without, a key that is good. */
export type Strangers = ReturnType<typeof createStrangers>;

/**
 * Counts requests that are not authenticated, by their senders. A key that is good does not count:
 * who shares an address with an attacker is served on.
 */
export function createStrangers(limiter: RateLimiter, proxies: BlockList) {
  return {
    /** By its connection; behind our own proxies by `X-Forwarded-For`. */
    originOf: ({ rawHeaders, socket }: IncomingMessage): Origin => {
      const forwarded = headerValues(rawHeaders, "x-forwarded-for").join(",");
      const peer = socket.remoteAddress ?? "";
      const address = callerAddress(peer, forwarded === "" ? undefined : forwarded, proxies);
      return { address, sender: senderOf(address) };
    },
    /** Counts a request; RATE_LIMITED where its sender made too many. */
    count: ({ sender }: Origin): Refused<"RATE_LIMITED"> | undefined =>
      limiter.take(sender).admitted
        ? undefined
        : refused("RATE_LIMITED", "Too many requests without a valid API key from this address."),
    /** For a request whose key turned out to be good. */
    forgive: ({ sender }: Origin): void => limiter.giveBack(sender),
  };
}
