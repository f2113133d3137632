import type { AccountStore } from "../ledger/accounts.ts";

/** Gathers holds whose payouts were just made, so that an account is told of many in one write. */
export type HoldCloser = {
  /** Returns at once. What a crash forgets, the sweep of open holds finds. */
  close(accountId: string, payoutId: string): void;
  /** Tells the accounts; answers whether there may be more. */
  flush(): Promise<boolean>;
};

/** A closer for one process. */
export function createHoldCloser(accounts: AccountStore): HoldCloser {
  let gathered = new Map<string, string[]>();
  return {
    close: (accountId, payoutId) => {
      const ids = gathered.get(accountId);
      if (ids === undefined) gathered.set(accountId, [payoutId]);
      else ids.push(payoutId);
    },
    flush: async () => {
      const toClose = gathered;
      gathered = new Map();
      for (const [accountId, ids] of toClose) await accounts.closeHolds(accountId, ids);
      return gathered.size > 0;
    },
  };
}
