import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import type {
  ListEntriesRequest,
  PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { AccountStore } from "./accounts.ts";
import { entryMessage, stepFilter } from "./wire.ts";

type StatementRpc = Pick<ServiceImpl<typeof PayoutService>, "listEntries" | "listHouseBalances">;

/** The RPCs of the ledger: a merchant's statement, and what the house has by it. */
export function statementRpc(accounts: AccountStore): StatementRpc {
  return {
    listEntries: async (request) => {
      const { merchantId, accountId, cursor } = request;
      const limit = orThrow(readLimit(request.limit));
      if (!/^\d{0,15}$/.test(cursor)) {
        orThrow(refused("INVALID_REQUEST", "cursor: must be one that a list gave"));
      }
      const page = {
        limit: limit + 1,
        ...(cursor === "" ? {} : { beforeSequence: Number(cursor) }),
      };
      const filter = readEntryFilter(request);
      const found = await accounts.listEntries({ merchantId, accountId }, filter, page);
      const { entries, count, isCapped } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const { shown, nextCursor } = cutPageBy(entries, limit, ({ sequence }) => String(sequence));
      const total = { totalCount: BigInt(count), totalCountCapped: isCapped };
      return { entries: shown.map(entryMessage), nextCursor, ...total };
    },

    listHouseBalances: async ({ currencyCode }) => {
      const found = await accounts.houseBalances(currencyCode === "" ? undefined : currencyCode);
      const balances = found.map(({ currency: currencyCode, ...each }) => ({
        ...each,
        currencyCode,
      }));
      return { balances };
    },
  };
}

function readEntryFilter({ step, payoutId, createdFrom, createdTo }: ListEntriesRequest) {
  const name = stepFilter(step);
  return {
    ...(name === undefined ? {} : { step: name }),
    ...(payoutId === "" ? {} : { payoutId }),
    ...(createdFrom === undefined ? {} : { from: timestampDate(createdFrom) }),
    ...(createdTo === undefined ? {} : { to: timestampDate(createdTo) }),
  };
}
