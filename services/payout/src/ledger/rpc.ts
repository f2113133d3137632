import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart } from "@disburse/chassis/paging/cursor.ts";
import { countedTotal, cutPage } from "@disburse/chassis/paging/record-page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  CreditAccountRequest,
  PayoutService,
  ReverseCreditRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { orThrow } from "../refusals.ts";
import type { AccountStore } from "./accounts.ts";
import { accountMessage, entryMessage } from "./wire.ts";
import type { Applied } from "./writer.ts";

type AccountRpc = Pick<
  ServiceImpl<typeof PayoutService>,
  | "openAccount"
  | "creditAccount"
  | "reverseCredit"
  | "getAccount"
  | "listAccounts"
  | "resolveAccount"
>;

/** A statement's note fits one line of it. */
const noteMax = 255;

/** The RPCs of accounts and what is credited to them. */
export function accountRpc(accounts: AccountStore, clock: Clock): AccountRpc {
  return {
    openAccount: async ({ mutation, merchantId, currencyCode }) => {
      const change = readMutation(mutation);
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      if (findCurrency(currencyCode) === undefined) {
        orThrow(refused("INVALID_REQUEST", "currency_code: must be a known currency"));
      }
      const account = await accounts.open(
        { merchantId, currency: currencyCode, ...change },
        clock.now(),
      );
      return { account: accountMessage(account) };
    },

    creditAccount: (request) => credit(accounts, request),

    reverseCredit: (request) => reverse(accounts, request),

    getAccount: async ({ merchantId, accountId, asOf }) => {
      const account = orThrow(
        (await accounts.read(merchantId, accountId)) ?? refused("RECORD_NOT_FOUND"),
      );
      if (asOf === undefined) return { account: accountMessage(account) };
      const then = await accounts.readAsOf({ merchantId, accountId }, timestampDate(asOf));
      const tooEarly = refused("INVALID_REQUEST", "as_of: is before the account was opened");
      return { account: accountMessage(orThrow(then ?? tooEarly)) };
    },

    listAccounts: async ({ merchantId, limit: asked, cursor }) => {
      const limit = orThrow(readLimit(asked));
      const start = orThrow(readStart(cursor));
      const [found, count] = await Promise.all([
        accounts.list(merchantId, start, limit + 1),
        accounts.count(merchantId),
      ]);
      const { shown, nextCursor } = cutPage(found, limit);
      return { accounts: shown.map(accountMessage), nextCursor, ...countedTotal(count) };
    },

    resolveAccount: async ({ accountId }) => {
      const account = orThrow(
        (await accounts.findPayout(accountId)) ?? refused("RECORD_NOT_FOUND"),
      );
      return { accountId, merchantId: account.merchantId, currencyCode: account.currency };
    },
  };
}

/** Adds money once per operation; a repeat answers with the first entry. */
async function credit(accounts: AccountStore, request: CreditAccountRequest) {
  const { mutation, merchantId, accountId, amount: text } = request;
  const { operationId, actor } = readMutation(mutation);
  const account = orThrow(
    (await accounts.read(merchantId, accountId)) ?? refused("RECORD_NOT_FOUND"),
  );
  const { currencyCode } = request;
  if (currencyCode !== "" && currencyCode !== account.currency) {
    return orThrow(refused("INVALID_REQUEST", `currency_code: must be ${account.currency}`));
  }
  const amount = parseAmount(text, account.currency);
  if (isRefused(amount)) return orThrow(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  const note = readNote(request.note);
  const movement = { step: "credit", operationId, amount, note } as const;
  return entryOf(await accounts.apply({ merchantId, accountId, actor }, movement));
}

/** Takes a credit back, once; a repeat answers with the first entry. */
async function reverse(accounts: AccountStore, request: ReverseCreditRequest) {
  const { mutation, merchantId, accountId, entryId } = request;
  const { actor } = readMutation(mutation);
  const note = readNote(request.note);
  if (note === "") orThrow(refused("INVALID_REQUEST", "note: is required"));
  const movement = { step: "reversal", creditKey: entryId, note } as const;
  const made = await accounts.apply({ merchantId, accountId, actor }, movement);
  if (made.outcome === "insufficient") return orThrow(refused("INSUFFICIENT_BALANCE"));
  return entryOf(made);
}

function readNote(text: string): string {
  const note = cleanText(text);
  if (note.length <= noteMax && textProblem(note) === undefined) return note;
  return orThrow(refused("INVALID_REQUEST", "note: must be at most 255 plain characters"));
}

function entryOf(made: Applied) {
  switch (made.outcome) {
    case "applied":
      return { entry: entryMessage(made.entry) };
    case "full":
      return orThrow(refused("INVALID_REQUEST", "amount: the balance would be too large"));
    case "no_account":
    case "nothing_to_end":
      return orThrow(refused("RECORD_NOT_FOUND"));
    default:
      throw new Error(`not applied: ${made.outcome}`);
  }
}
