import type { ChainHead } from "@disburse/chassis/audit/heads.ts";
import type { HeadSource } from "@disburse/chassis/audit/shipping.ts";
import type { LedgerCollections } from "./documents.ts";

/** Accounts are counted up to here: more are as alarming. */
const countedMax = 10_000;

const chainOf = (accountId: string) => `ledger/${accountId}`;

/**
 * The heads of the accounts whose money has moved: each movement marks its account, and a sparse
 * index has no others, so that the cost is that of what has changed.
 */
export function ledgerHeads({ accounts }: Pick<LedgerCollections, "accounts">): HeadSource {
  const due = { head_due: true } as const;
  return {
    name: "ledger",
    changed: async (limit) => {
      const fields = { projection: { sequence: 1, head_hash: 1 } };
      const found = await accounts.find(due, fields).limit(limit).toArray();
      return found.map(({ _id, sequence, head_hash: hash }): ChainHead => {
        return { chain: chainOf(_id), sequence, hash };
      });
    },
    shipped: async (heads) => {
      const writes = heads.map(({ chain, sequence }) =>
        accounts.updateOne(
          { _id: chain.slice(chainOf("").length), sequence },
          { $unset: { head_due: "" } },
        ),
      );
      await Promise.all(writes);
    },
    unshipped: () => accounts.countDocuments(due, { limit: countedMax }),
  };
}
