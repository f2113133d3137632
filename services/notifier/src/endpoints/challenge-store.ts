import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { schemaVersion } from "./documents.ts";

/** The last challenge of an endpoint, or of a merchant at a host. */
type ChallengeDocument = {
  /** The endpoint's id, or `<merchant's id> <host>`. */
  _id: string;
  schema_version: number;
  /** Of the process that sent it, while it waits for the answer. */
  token: string;
  /** When the next one may begin. */
  free_at: Date;
};

/** A challenge takes two turns: its endpoint's, and its merchant's at the host of the URL. */
export type ChallengeTurn = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly host: string;
};

/** Turns of challenges, shared by all processes. */
export type ChallengeStore = ReturnType<typeof openChallengeStore>;

/** Spaces the challenges of an endpoint, and of a merchant to one host, across processes. */
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
    /** Takes the turn until `until`, when one that a crash left is free; `false`: it is taken. */
    begin: async (
      turn: ChallengeTurn,
      token: string,
      { now, until }: { readonly now: Date; readonly until: Date },
    ): Promise<boolean> => {
      // Free turns are deleted, so that a merchant leaves only a few documents.
      await challenges.deleteMany({ _id: hostsOf(turn.merchantId), free_at: { $lte: now } });
      const [endpoint, host] = turnIds(turn);
      if (!(await take(endpoint, token, now, until))) return false;
      if (await take(host, token, now, until)) return true;
      await release([endpoint], token, now);
      return false;
    },

    /** Releases the turn as of `freeAt`, unless another process has it by now. */
    end: (turn: ChallengeTurn, token: string, freeAt: Date): Promise<void> =>
      release(turnIds(turn), token, freeAt),

    /** For a deleted endpoint; its merchant's turn at the host stays. */
    forget: async (endpointId: string): Promise<void> => {
      await challenges.deleteOne({ _id: endpointId });
    },
  };
}

function turnIds({ merchantId, endpointId, host }: ChallengeTurn): readonly [string, string] {
  return [endpointId, `${merchantId} ${host}`];
}

/** All ids that begin with a merchant's id and a space; `!` is the next character. */
function hostsOf(merchantId: string) {
  return { $gt: `${merchantId} `, $lt: `${merchantId}!` };
}
