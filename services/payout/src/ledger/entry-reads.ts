import { createGatherer, type Gathered } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import type { LedgerCollections, LedgerDocument } from "./documents.ts";

/** Accounts of one read: each asks for a few keys of each of its movements. */
const batchMax = 64;
/** An account asks again when it was answered, so that few wait. */
const limits = {
  batchMax,
  inFlightMax: 2,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Asked = { readonly accountId: string; readonly keys: ReadonlySet<string> };
type Asking = Gathered &
  Asked &
  Pick<PromiseWithResolvers<readonly LedgerDocument[]>, "resolve" | "reject">;

/**
 * Reads recorded entries of an account by their keys. Accounts that ask in the same turn of the
 * event loop share a command, which names them all: in a cluster it goes to their shards alone.
 */
export function createEntryReads({ entries }: Pick<LedgerCollections, "entries">) {
  const send = async (batch: readonly Asking[]) => {
    try {
      const found = await findAsked(entries, batch);
      const byAccount = Map.groupBy(found, (each) => each.account_id);
      for (const { accountId, keys, resolve } of batch) {
        const own = byAccount.get(accountId) ?? [];
        resolve(own.filter(({ _id }) => keys.has(_id)));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const gatherer = createGatherer(send, limits);
  return (accountId: string, keys: ReadonlySet<string>): Promise<readonly LedgerDocument[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly LedgerDocument[]>();
    gatherer.add({ key: undefined, bytes: 0, accountId, keys, resolve, reject });
    return promise;
  };
}

function findAsked(entries: LedgerCollections["entries"], batch: readonly Asked[]) {
  const keys = new Set(batch.flatMap((each) => [...each.keys]));
  const accounts = new Set(batch.map(({ accountId }) => accountId));
  const filter = { _id: { $in: [...keys] }, account_id: { $in: [...accounts] } };
  return entries.find(filter, { hint: "_id_" }).toArray();
}
