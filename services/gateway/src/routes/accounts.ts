import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Account,
  LedgerStep,
  type ListEntriesRequest,
  ListEntriesRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { type QueryValues, readQuery } from "../domain/list-query.ts";
import {
  entryFilters,
  exportEntriesEndpoint,
  getAccountEndpoint,
  getAccountQuery,
  listAccountsEndpoint,
  listEntriesEndpoint,
  listEntriesQuery,
} from "../reference/accounts.ts";
import { pageQuery } from "../reference/page.ts";
import { entriesFile } from "./entries-file.ts";
import { entryData } from "./entry-wire.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";

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

/** The request for a statement out of what its query says. */
function entriesRequest(call: Call, asked: QueryValues<typeof entryFilters>): ListEntriesRequest {
  const { step, payout_id, created_from, created_to } = asked;
  const request = create(ListEntriesRequestSchema, {
    merchantId: call.merchantId,
    accountId: param(call, "accountId"),
    step: step ?? LedgerStep.UNSPECIFIED,
    payoutId: payout_id ?? "",
  });
  if (created_from) request.createdFrom = timestampFromDate(created_from);
  if (created_to) request.createdTo = timestampFromDate(created_to);
  return request;
}

/** A page of an exported statement is as long as a page may be. */
const exportPage = 100;

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
        const asked = readQuery(call.query, getAccountQuery);
        if (isRefused(asked)) return asked;
        const { merchantId } = call;
        const asOf = asked.as_of && { asOf: timestampFromDate(asked.as_of) };
        const accountId = param(call, "accountId");
        const reply = await payout.getAccount({ merchantId, accountId, ...asOf });
        return accountData(present(reply.account));
      },
    },
    {
      ...listEntriesEndpoint,
      answer: async (call) => {
        const asked = readQuery(call.query, listEntriesQuery);
        if (isRefused(asked)) return asked;
        const { limit = 0, cursor = "" } = asked;
        const request = Object.assign(entriesRequest(call, asked), { limit, cursor });
        const reply = await payout.listEntries(request);
        return { entries: reply.entries.map(entryData), meta_data: pageMetaData(reply) };
      },
    },
    {
      ...exportEntriesEndpoint,
      answer: async (call) => {
        const asked = readQuery(call.query, entryFilters);
        if (isRefused(asked)) return asked;
        const request = Object.assign(entriesRequest(call, asked), { limit: exportPage });
        return entriesFile((cursor) => payout.listEntries({ ...request, cursor }));
      },
    },
  ];
}
