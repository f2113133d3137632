import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Caller } from "../keys/rules/api-key.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** How many answers of one kind may be under way in this process. */
export type ShareLimits = {
  /** In words, for the refusal: `files`. */
  readonly noun: string;
  /** Of one API key or member. */
  readonly callerMax: number;
  /** Of all keys and members of a merchant together. */
  readonly merchantMax: number;
};

/**
 * A request holds its connection until it is answered. Its rate bounds how many are begun, not how
 * long they last; connections between requests close for others where all are taken.
 */
export function requestLimits(max: number): ShareLimits {
  return { noun: "requests", callerMax: max, merchantMax: max };
}

/** A file holds a connection and a page for as long as its reader likes. */
export const fileLimits: ShareLimits = { noun: "files", callerMax: 4, merchantMax: 16 };

/** A stream holds a connection, and its session is read every two seconds. */
export const streamLimits: ShareLimits = { noun: "pages", callerMax: 4, merchantMax: 100 };

/** Who is counted. */
type Counted = Pick<Caller, "merchantId"> & { readonly actor: { readonly id: string } };

/**
 * Counts the long answers of each caller and merchant. There is no limit for all merchants
 * together, so that one that has used up its share refuses no other.
 */
export function createShares({ noun, callerMax, merchantMax }: ShareLimits) {
  const open = new Map<string, number>();
  const add = (name: string, change: number) => {
    const count = (open.get(name) ?? 0) + change;
    if (count === 0) open.delete(name);
    else open.set(name, count);
  };
  return {
    /** Counts one more until its connection has its answer, or refuses it. */
    begin: (
      { merchantId, actor }: Counted,
      { res }: RouterContext,
    ): Refused<"RATE_LIMITED"> | undefined => {
      // A client that left before has had its `close`: nothing would end the count.
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

/** The long answers of one kind that are under way. */
export type Shares = ReturnType<typeof createShares>;
