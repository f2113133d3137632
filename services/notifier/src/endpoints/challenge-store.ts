import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import { schemaVersion } from "./documents.ts";

/** The last challenge of an endpoint, or of all that a merchant has had at a host. */
type ChallengeDocument = {
  /** The endpoint's id, or `<merchant's id> <host>`. */
  _id: string;
  schema_version: number;
  /** Of the process that sent it, while it waits for the answer. */
  token: string;
  /** When the next one may begin. */
  free_at: Date;
};

/** Whose turn a challenge takes: its endpoint's, and its merchant's at the host of the URL. */
export type ChallengeTurn = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly host: string;
};

export type ChallengeStore = ReturnType<typeof openChallengeStore>;

/**
 * Keeps challenges of one endpoint apart, and those of a merchant to one host, whichever processes
 * are asked for them and whatever endpoints come and go.
 */
export function openChallengeStore({ db }: Database) {
  const challenges = db.collection<ChallengeDocument>("endpoint_challenges");

  /** Takes one turn unless it is taken. */
  const take = async (_id: string, token: string, now: Date, until: Date): Promise<boolean> => {
    try {
      await challenges.updateOne(
        { _id, free_at: { $lte: now } },
        { $set: { schema_version: schemaVersion, token, free_at: until } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  const release = async (ids: readonly string[], token: string, freeAt: Date): Promise<void> => {
    await challenges.updateMany({ _id: { $in: [...ids] }, token }, { $set: { free_at: freeAt } });
  };

  return {
    /** Takes the turn until `until`, lest a crash keep it for ever; false where it is taken. */
    begin: async (
      turn: ChallengeTurn,
      token: string,
      { now, until }: { readonly now: Date; readonly until: Date },
    ): Promise<boolean> => {
      // A turn that is free is as good as none: so a merchant leaves no more than a few behind.
      await challenges.deleteMany({ _id: hostsOf(turn.merchantId), free_at: { $lte: now } });
      const [endpoint, host] = turnIds(turn);
      if (!(await take(endpoint, token, now, until))) return false;
      if (await take(host, token, now, until)) return true;
      await release([endpoint], token, now);
      return false;
    },

    /** Gives the turn back as of `freeAt`, unless somebody else has it by now. */
    end: (turn: ChallengeTurn, token: string, freeAt: Date): Promise<void> =>
      release(turnIds(turn), token, freeAt),

    /** Of a deleted endpoint; what its merchant did to the host stays. */
    forget: async (endpointId: string): Promise<void> => {
      await challenges.deleteOne({ _id: endpointId });
    },
  };
}

function turnIds({ merchantId, endpointId, host }: ChallengeTurn): readonly [string, string] {
  return [endpointId, `${merchantId} ${host}`];
}

/** All that begin with a merchant's id and a space, which `!` follows. */
function hostsOf(merchantId: string) {
  return { $gt: `${merchantId} `, $lt: `${merchantId}!` };
}
