import type { Account, LedgerEntry } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import {
  getAccountEndpoint,
  listAccountsEndpoint,
  listEntriesEndpoint,
} from "../reference/accounts.ts";
import { pageQuery } from "../reference/page.ts";
import { type Operation, param } from "./operation.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";
import { ledgerSteps } from "./words.ts";

/** An account with its money: to spend, and set aside for payouts under way. */
export function accountData(account: Account) {
  return {
    id: account.id,
    currency_code: account.currencyCode,
    available: wireNumber(account.available),
    held: wireNumber(account.held),
    created_at: wireTime(account.createdAt),
    updated_at: wireTime(account.updatedAt),
  };
}

/** One line of a statement, with the account's money after it. */
export function entryData(entry: LedgerEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    sequence: wireNumber(entry.sequence),
    step: ledgerSteps[entry.step],
    currency_code: entry.currencyCode,
    amount: wireNumber(entry.amount),
    available: wireNumber(entry.available),
    held: wireNumber(entry.held),
    payout_id: entry.payoutId,
    note: entry.note,
    created_at: wireTime(entry.createdAt),
  };
}

/** A merchant's accounts and their statements. */
export function accountOperations({ payout }: Pick<Clients, "payout">): readonly Operation[] {
  return [
    {
      ...listAccountsEndpoint,
      answer: async ({ merchantId, query }) => {
        const asked = readQuery(query, pageQuery);
        if (isRefused(asked)) return asked;
        const reply = await payout.listAccounts({ merchantId, ...asked });
        return { accounts: reply.accounts.map(accountData), meta_data: pageMetaData(reply) };
      },
    },
    {
      ...getAccountEndpoint,
      answer: async (call) => {
        const accountId = param(call, "accountId");
        const reply = await payout.getAccount({ merchantId: call.merchantId, accountId });
        return accountData(present(reply.account));
      },
    },
    {
      ...listEntriesEndpoint,
      answer: async (call) => {
        const asked = readQuery(call.query, pageQuery);
        if (isRefused(asked)) return asked;
        const { merchantId } = call;
        const accountId = param(call, "accountId");
        const reply = await payout.listEntries({ merchantId, accountId, ...asked });
        return { entries: reply.entries.map(entryData), meta_data: pageMetaData(reply) };
      },
    },
  ];
}
