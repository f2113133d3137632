import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { schemaVersion } from "./documents.ts";

/** The latest challenge of an endpoint, or of a merchant to a host. */
type ChallengeDocument = {
  /** The endpoint's id, or `<merchant's id> <host>`. */
  _id: string;
  schema_version: number;
  /** Identifies the process that waits for the response. */
  token: string;
  /** Earliest start of the next challenge. */
  free_at: Date;
};

/** A challenge takes two locks: its endpoint's, and its merchant's for the URL's host. */
export type ChallengeTurn = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly host: string;
};

/** Locks of challenges, shared by all processes. */
export type ChallengeStore = ReturnType<typeof openChallengeStore>;

/** Spaces an endpoint's challenges, and a merchant's challenges to one host, across processes. */
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
     * Takes the locks until `until`, when locks left by a crash expire. Returns `false` if taken.
     */
    begin: async (
      turn: ChallengeTurn,
      token: string,
      { now, until }: { readonly now: Date; readonly until: Date },
    ): Promise<boolean> => {
      // Deletes expired locks, so that a merchant leaves only a few documents.
      await challenges.deleteMany({ _id: hostsOf(turn.merchantId), free_at: { $lte: now } });
      const [endpoint, host] = turnIds(turn);
      if (!(await take(endpoint, token, now, until))) return false;
      if (await take(host, token, now, until)) return true;
      await release([endpoint], token, now);
      return false;
    },

    /** Releases the locks as of `freeAt`, unless another process has taken them since. */
    end: (turn: ChallengeTurn, token: string, freeAt: Date): Promise<void> =>
      release(turnIds(turn), token, freeAt),

    /** Called for a deleted endpoint. Its merchant's lock for the host stays. */
    forget: async (endpointId: string): Promise<void> => {
      await challenges.deleteOne({ _id: endpointId });
    },
  };
}

function turnIds({ merchantId, endpointId, host }: ChallengeTurn): readonly [string, string] {
  return [endpointId, `${merchantId} ${host}`];
}

/**
 * Matches ids that start with the merchant's id and a space. `!` is the character after the space.
 */
function hostsOf(merchantId: string) {
  return { $gt: `${merchantId} `, $lt: `${merchantId}!` };
}
