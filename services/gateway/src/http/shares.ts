import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** Limits on concurrent responses of one kind. They apply to one process. */
export type ShareLimits = {
  /** Names the kind in refusals, for example `files`. */
  readonly noun: string;
  readonly callerMax: number;
  /** Maximum per merchant, for all of its keys and members together. */
  readonly merchantMax: number;
};

/**
 * Limits the open requests of a merchant, because each holds a connection until its response ends.
 * The rate limit controls how often requests start, not how long they run. Idle connections don't
 * count: they are closed when all connections are taken.
 */
export function requestLimits(max: number): ShareLimits {
  return { noun: "requests", callerMax: max, merchantMax: max };
}

/** A file holds a connection and a page of results until its reader has read it. */
export const fileLimits: ShareLimits = { noun: "files", callerMax: 4, merchantMax: 16 };

/** An event stream holds a connection, and its session is read every two seconds. */
export const streamLimits: ShareLimits = { noun: "pages", callerMax: 4, merchantMax: 100 };

type Counted = Pick<Caller, "merchantId"> & { readonly actor: { readonly id: string } };

/**
 * Counts long responses per caller and per merchant. There is no limit across merchants, so a
 * merchant that reaches its limit affects no other.
 */
export function createShares({ noun, callerMax, merchantMax }: ShareLimits) {
  const open = new Map<string, number>();
  const add = (name: string, change: number) => {
    const count = (open.get(name) ?? 0) + change;
    if (count === 0) open.delete(name);
    else open.set(name, count);
  };
  return {
    /**
     * Counts a response until it is complete or its connection closes. Returns a refusal if a limit
     * is reached.
     */
    begin: (
      { merchantId, actor }: Counted,
      { res }: RouterContext,
    ): Refused<"RATE_LIMITED"> | undefined => {
      // The client has already disconnected, so no `close` event would end the count.
      if (res.destroyed) return refused("RATE_LIMITED", "The client has disconnected.");
      const names = [`caller ${actor.id}`, `merchant ${merchantId}`] as const;
      const [ofCaller, ofMerchant] = names.map((name) => open.get(name) ?? 0);
      if (ofCaller !== undefined && ofCaller >= callerMax) {
        return refused("RATE_LIMITED", `This caller has too many ${noun} open at the same time.`);
      }
      if (ofMerchant !== undefined && ofMerchant >= merchantMax) {
        return refused("RATE_LIMITED", `This merchant has too many ${noun} open at the same time.`);
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
