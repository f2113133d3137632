import {
  type Account,
  type LedgerEntry,
  LedgerStep,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { limitParameter, readQuery, tokenParameter } from "../domain/list-query.ts";
import { type Operation, param } from "./operation.ts";
import { present, wireNumber, wireTime } from "./wire.ts";

const steps: Readonly<Record<LedgerStep, string>> = {
  [LedgerStep.UNSPECIFIED]: "",
  [LedgerStep.CREDIT]: "credit",
  [LedgerStep.HOLD]: "hold",
  [LedgerStep.POST]: "post",
  [LedgerStep.RELEASE]: "release",
  [LedgerStep.RETURN]: "return",
};

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
    step: steps[entry.step],
    currency_code: entry.currencyCode,
    amount: wireNumber(entry.amount),
    available: wireNumber(entry.available),
    held: wireNumber(entry.held),
    payout_id: entry.payoutId,
    note: entry.note,
    created_at: wireTime(entry.createdAt),
  };
}

const entryParameters = { limit: limitParameter, cursor: tokenParameter } as const;

/** A merchant's accounts and their statements. */
export function accountOperations({ payout }: Pick<Clients, "payout">): readonly Operation[] {
  return [
    {
      method: "GET",
      path: "/api/v1/transfer/accounts",
      scope: "account:read",
      answer: async ({ merchantId }) => {
        const { accounts } = await payout.listAccounts({ merchantId });
        const meta = { total_count: accounts.length, next_cursor: "" };
        return { accounts: accounts.map(accountData), meta_data: meta };
      },
    },
    {
      method: "GET",
      path: "/api/v1/transfer/accounts/:accountId",
      scope: "account:read",
      answer: async (call) => {
        const accountId = param(call, "accountId");
        const reply = await payout.getAccount({ merchantId: call.merchantId, accountId });
        return accountData(present(reply.account));
      },
    },
    {
      method: "GET",
      path: "/api/v1/transfer/accounts/:accountId/entries",
      scope: "account:read",
      answer: async (call) => {
        const asked = readQuery(call.query, entryParameters);
        if (isRefused(asked)) return asked;
        const { merchantId } = call;
        const accountId = param(call, "accountId");
        const reply = await payout.listEntries({ merchantId, accountId, ...asked });
        const meta = { next_cursor: reply.nextCursor };
        return { entries: reply.entries.map(entryData), meta_data: meta };
      },
    },
  ];
}
