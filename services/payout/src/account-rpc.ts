import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { readLimit, readStart } from "@disburse/chassis/page-cursor.ts";
import { countedTotal, cutPage, cutPageBy } from "@disburse/chassis/record-page.ts";
import type {
  CreditAccountRequest,
  PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AccountStore } from "./account-store.ts";
import { creditKey } from "./domain/account.ts";
import { accepted } from "./refusals.ts";
import { accountMessage, entryMessage } from "./wire.ts";

type AccountRpc = Pick<
  ServiceImpl<typeof PayoutService>,
  "openAccount" | "creditAccount" | "getAccount" | "listAccounts" | "resolveAccount" | "listEntries"
>;

/** A statement's note fits one line of it. */
const noteMax = 255;

/** The RPCs of accounts and their ledger. */
export function accountRpc(accounts: AccountStore, clock: Clock): AccountRpc {
  return {
    openAccount: async ({ mutation, merchantId, currencyCode }) => {
      const change = readMutation(mutation);
      if (merchantId === "") accepted(refused("INVALID_REQUEST", "merchant_id: is required"));
      if (findCurrency(currencyCode) === undefined) {
        accepted(refused("INVALID_REQUEST", "currency_code: must be a known currency"));
      }
      const account = await accounts.open(
        { merchantId, currency: currencyCode, ...change },
        clock.now(),
      );
      return { account: accountMessage(account) };
    },

    creditAccount: (request) => credit(accounts, request),

    getAccount: async ({ merchantId, accountId }) => {
      const account = await accounts.read(merchantId, accountId);
      return { account: accountMessage(accepted(account ?? refused("RECORD_NOT_FOUND"))) };
    },

    listAccounts: async ({ merchantId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      const start = accepted(readStart(cursor));
      const [found, count] = await Promise.all([
        accounts.list(merchantId, start, limit + 1),
        accounts.count(merchantId),
      ]);
      const { shown, nextCursor } = cutPage(found, limit);
      return { accounts: shown.map(accountMessage), nextCursor, ...countedTotal(count) };
    },

    resolveAccount: async ({ accountId }) => {
      const account = accepted((await accounts.readAny(accountId)) ?? refused("RECORD_NOT_FOUND"));
      return { accountId, merchantId: account.merchantId, currencyCode: account.currency };
    },

    listEntries: async ({ merchantId, accountId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      if (!/^\d{0,15}$/.test(cursor)) {
        accepted(refused("INVALID_REQUEST", "cursor: must be one that a list gave"));
      }
      const page = {
        limit: limit + 1,
        ...(cursor === "" ? {} : { beforeSequence: Number(cursor) }),
      };
      const found = await accounts.listEntries({ merchantId, accountId }, page);
      const { entries, count } = accepted(found ?? refused("RECORD_NOT_FOUND"));
      const { shown, nextCursor } = cutPageBy(entries, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map(entryMessage), nextCursor, totalCount: BigInt(count) };
    },
  };
}

/** Adds money once per operation; a repeat answers with the first entry. */
async function credit(accounts: AccountStore, request: CreditAccountRequest) {
  const { mutation, merchantId, accountId, amount: text } = request;
  const { operationId, actor } = readMutation(mutation);
  const deadline = accounts.deadlineAfter(await accounts.databaseTime());
  const account = accepted(
    (await accounts.read(merchantId, accountId)) ?? refused("RECORD_NOT_FOUND"),
  );
  const amount = parseAmount(text, account.currency);
  if (isRefused(amount)) return accepted(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  const note = cleanText(request.note);
  if (note.length > noteMax || textProblem(note) !== undefined) {
    return accepted(refused("INVALID_REQUEST", "note: must be at most 255 plain characters"));
  }
  const key = creditKey(accountId, operationId);
  const before = await accounts.findMovement(accountId, key);
  if (before !== undefined) return { entry: entryMessage(before) };
  const movement = { key, step: "credit", amount, payoutId: "", note } as const;
  const made = await accounts.apply({ merchantId, accountId, deadline, actor }, movement);
  switch (made.outcome) {
    case "applied":
      return { entry: entryMessage(made.entry) };
    case "insufficient":
      return accepted(refused("INVALID_REQUEST", "amount: the balance would be too large"));
    case "no_account":
      return accepted(refused("RECORD_NOT_FOUND"));
    case "too_late":
      throw new ConnectError("the credit took too long", Code.Unavailable);
  }
}
