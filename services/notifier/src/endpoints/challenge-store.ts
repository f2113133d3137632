import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { schemaVersion } from "./documents.ts";

/** The lock of the latest challenge, either of an endpoint or of a merchant to a host. */
type ChallengeDocument = {
  /**
   * The id of the endpoint, or the merchant's id and the host in the form `<merchant's id> <host>`.
   */
  _id: string;
  schema_version: number;
  /** Identifies the process that waits for the challenge's response. */
  token: string;
  /** The earliest time at which the next challenge may start. */
  free_at: Date;
};

/**
 * The locks of a challenge. One is for the endpoint. The other is for the merchant and the host of
 * the URL.
 */
export type ChallengeTurn = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly host: string;
};

/** Locks of challenges, shared by all processes. */
export type ChallengeStore = ReturnType<typeof openChallengeStore>;

/**
 * Limits how often an endpoint, or a host on behalf of a merchant, is challenged. All processes
 * share the limits.
 */
export function openChallengeStore({ db }: Database) {
  const challenges = db.collection<ChallengeDocument>("endpoint_challenges");

  const take = (_id: string, token: string, now: Date, until: Date): Promise<boolean> =>
    onceByKey(() =>
      challenges.updateOne(
        { _id, free_at: { $lte: now } },
        { $set: { schema_version: schemaVersion, token, free_at: until } },
        { upsert: true },
      ),
    );
  const release = async (ids: readonly string[], token: string, freeAt: Date): Promise<void> => {
    await challenges.updateMany({ _id: { $in: [...ids] }, token }, { $set: { free_at: freeAt } });
  };

  return {
    /**
     * Takes the locks until `until`. Locks that a crash left also expire at that time. Returns
     * `false` if a lock is already taken.
     */
    begin: async (
      turn: ChallengeTurn,
      token: string,
      { now, until }: { readonly now: Date; readonly until: Date },
    ): Promise<boolean> => {
      // Deletes the merchant's expired locks, so that only a few documents remain.
      await challenges.deleteMany({ _id: hostsOf(turn.merchantId), free_at: { $lte: now } });
      const [endpoint, host] = turnIds(turn);
      if (!(await take(endpoint, token, now, until))) return false;
      if (await take(host, token, now, until)) return true;
      await release([endpoint], token, now);
      return false;
    },

    /**
     * Releases the locks at the time `freeAt`, unless another process has taken them in the
     * meantime.
     */
    end: (turn: ChallengeTurn, token: string, freeAt: Date): Promise<void> =>
      release(turnIds(turn), token, freeAt),

    /** Deletes the lock of a deleted endpoint. Keeps the lock for the merchant and the host. */
    forget: async (endpointId: string): Promise<void> => {
      await challenges.deleteOne({ _id: endpointId });
    },
  };
}

function turnIds({ merchantId, endpointId, host }: ChallengeTurn): readonly [string, string] {
  return [endpointId, `${merchantId} ${host}`];
}

/**
 * Matches ids that start with the merchant's id and a space. The range ends at `!`, which is the
 * next character after the space.
 */
function hostsOf(merchantId: string) {
  return { $gt: `${merchantId} `, $lt: `${merchantId}!` };
}
