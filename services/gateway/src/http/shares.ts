import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** Limits on concurrent responses of one kind in this process. */
export type ShareLimits = {
  /** Used in the refusal's text, such as `files`. */
  readonly noun: string;
  readonly callerMax: number;
  /** Per merchant, for all of its keys and members together. */
  readonly merchantMax: number;
};

/**
 * Limits open requests, because each holds its connection until its response. The rate limit bounds
 * how many start, not how long they last. Idle connections close for others when all are taken.
 */
export function requestLimits(max: number): ShareLimits {
  return { noun: "requests", callerMax: max, merchantMax: max };
}

/** A file holds a connection and a page of results for as long as its reader takes. */
export const fileLimits: ShareLimits = { noun: "files", callerMax: 4, merchantMax: 16 };

/** A stream holds a connection, and its session is read every two seconds. */
export const streamLimits: ShareLimits = { noun: "pages", callerMax: 4, merchantMax: 100 };

type Counted = Pick<Caller, "merchantId"> & { readonly actor: { readonly id: string } };

/**
 * Counts long responses per caller and merchant. There is no limit over all merchants, so a
 * merchant that uses up its share affects no other.
 */
export function createShares({ noun, callerMax, merchantMax }: ShareLimits) {
  const open = new Map<string, number>();
  const add = (name: string, change: number) => {
    const count = (open.get(name) ?? 0) + change;
    if (count === 0) open.delete(name);
    else open.set(name, count);
  };
  return {
    /** Counts a response until it is complete or its connection closes. Refuses it at a limit. */
    begin: (
      { merchantId, actor }: Counted,
      { res }: RouterContext,
    ): Refused<"RATE_LIMITED"> | undefined => {
      // For a client that has already left, no `close` event would end the count.
      if (res.destroyed) return refused("RATE_LIMITED", "The client has disconnected.");
      const names = [`caller ${actor.id}`, `merchant ${merchantId}`] as const;
      const [ofCaller, ofMerchant] = names.map((name) => open.get(name) ?? 0);
      if (ofCaller !== undefined && ofCaller >= callerMax) {
        return refused("RATE_LIMITED", `Too many ${noun} at a time.`);
      }
      if (ofMerchant !== undefined && ofMerchant >= merchantMax) {
        return refused("RATE_LIMITED", `This merchant has too many ${noun} at a time.`);
      }
      for (const name of names) add(name, 1);
      onceClosed(res, () => {
        for (const name of names) add(name, -1);
      });
      return undefined;
    },
  };
}

export type Shares = ReturnType<typeof createShares>;
