import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { cutPage, readLimit, readNumber, writeNumber } from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  AccountSchema,
  type CreditAccountRequest,
  LedgerEntrySchema,
  LedgerStep,
  type ListEntriesRequest,
  type PayoutService,
  type ReopenAccountRequest,
  type ReverseCreditRequest,
  type UpdateAccountRequest,
  UpdateAccountRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { updateAccount as updateAccountForm } from "@disburse/forms/bodies/account.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { wholeBody } from "@disburse/forms/checks/read.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { invalidRequest, isRefused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  findAccount,
  type Ledger,
  listAccounts,
  openAccount,
  platformMerchantId,
  readAccount,
} from "@disburse/ledger/accounts.ts";
import type { Account, LedgerEntry, MerchantStep } from "@disburse/ledger/rules/account.ts";
import { postingText } from "@disburse/ledger/rules/postings.ts";
import {
  changeSettings,
  closeAccount,
  reopenAccount,
  type Unspent,
} from "@disburse/ledger/settings.ts";
import {
  type EntryFilter,
  listEntries,
  platformBalances,
  readAccountAsOf,
} from "@disburse/ledger/statement.ts";
import type { Applied } from "@disburse/ledger/writer.ts";
import { isRegistered, listedMerchant, type MerchantRegistry } from "./merchants.ts";

/** The maximum length of a note. It fits on one line of a statement. */
const noteMax = 255;

/** The name of the list in its cursors. */
const entryList = "ledger_entries";

export type AccountsDeps = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly beneficiary: MerchantRegistry;
};

export function accountsRpc({ ledger, clock, beneficiary }: AccountsDeps) {
  return {
    openAccount: async ({ mutation, merchantId, currencyCode: currency }) => {
      const change = readMutation(mutation);
      assertMerchants(merchantId);
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      if (findCurrency(currency) === undefined) {
        orThrow(refused("INVALID_REQUEST", "currency_code: must be a known currency"));
      }
      if (!(await isRegistered(beneficiary, merchantId))) {
        orThrow(refused("RECORD_NOT_FOUND", "merchant_id: is not known"));
      }
      const account = await openAccount(ledger, { merchantId, currency, ...change }, clock.now());
      return { account: accountMessage(account) };
    },

    updateAccount: (request) => update(ledger, clock, request),

    closeAccount: async ({ mutation, merchantId, accountId }) => {
      const by = readMutation(mutation);
      const { currency } = await existing(ledger, merchantId, accountId);
      const closed = await closeAccount(ledger, { merchantId, accountId }, by);
      const account = orThrow(closed ?? refused("RECORD_NOT_FOUND"));
      if ("id" in account) return { account: accountMessage(account) };
      return orThrow(notEmpty(account, currency));
    },

    reopenAccount: (request) => reopen(ledger, request),

    creditAccount: (request) => credit(ledger, request),

    reverseCredit: (request) => reverse(ledger, request),

    getAccount: async ({ merchantId, accountId, asOf }) => {
      const account = await existing(ledger, merchantId, accountId);
      if (asOf === undefined) return { account: accountMessage(account) };
      const then = await readAccountAsOf(ledger, { merchantId, accountId }, timestampDate(asOf));
      const tooEarly = refused("INVALID_REQUEST", "as_of: is before the account was opened");
      return { account: accountMessage(orThrow(then ?? tooEarly)) };
    },

    listAccounts: async ({ merchantId, ...page }) => {
      assertMerchants(merchantId);
      // Excludes rail accounts, which belong to no merchant.
      const { merchant_id } = listedMerchant(merchantId);
      const { accounts, ...rest } = await listAccounts(ledger, merchant_id, page);
      return { accounts: accounts.map(accountMessage), ...rest };
    },

    resolveAccount: async ({ accountId }) => {
      const found = await findAccount(ledger, accountId);
      const account = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      assertMerchants(account.merchantId);
      const { merchantId, currency, closedAt } = account;
      return { accountId, merchantId, currencyCode: currency, closed: closedAt !== undefined };
    },

    listEntries: async (request) => {
      const { merchantId, accountId, cursor } = request;
      assertMerchants(merchantId);
      const limit = orThrow(readLimit(request.limit));
      const beforeSequence = orThrow(readNumber(entryList, cursor));
      const filter = readEntryFilter(request);
      const found = await listEntries(ledger, { merchantId, accountId }, filter, {
        beforeSequence,
        limit: limit + 1,
      });
      const { entries, ...total } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const { shown, nextCursor } = cutPage(entries, limit, ({ sequence }) =>
        writeNumber(entryList, sequence),
      );
      return { entries: shown.map(entryMessage), nextCursor, ...total };
    },

    listPlatformBalances: async ({ currencyCode }) => {
      const found = await platformBalances(ledger, currencyCode === "" ? undefined : currencyCode);
      const balances = found.map(({ currency, ...each }) => ({ ...each, currencyCode: currency }));
      return { balances };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

/** Hides rail accounts. Only the treasury's RPCs return them. */
export function assertMerchants(merchantId: string): void {
  if (merchantId === platformMerchantId) orThrow(refused("RECORD_NOT_FOUND"));
}

async function existing(ledger: Ledger, merchantId: string, id: string): Promise<Account> {
  assertMerchants(merchantId);
  return orThrow((await readAccount(ledger, merchantId, id)) ?? refused("RECORD_NOT_FOUND"));
}

/** Changes the merchant's settings once per operation. */
async function update(ledger: Ledger, clock: Clock, message: UpdateAccountRequest) {
  const { merchantId, accountId, unreadable } = message;
  const change = readMutation(message.mutation);
  const context = { now: clock.now(), unreadable };
  const sent = orThrow(
    checkedMessage(updateAccountForm, UpdateAccountRequestSchema, message, context),
  );
  if (message.name === undefined && message.lowBalanceThreshold === undefined) {
    const problem = "must have at least one of name, low_balance_threshold";
    return orThrow(invalidRequest([{ field: wholeBody, problem }]));
  }
  const { currency } = await existing(ledger, merchantId, accountId);
  const settings = {
    // The check leaves out empty texts, which remove a setting here.
    name: message.name === undefined ? undefined : (sent.name ?? ""),
    lowBalanceThreshold:
      message.lowBalanceThreshold === undefined
        ? undefined
        : readThreshold(sent.lowBalanceThreshold, currency),
  };
  const changed = await changeSettings(ledger, { merchantId, accountId }, settings, change);
  return { account: accountMessage(orThrow(changed ?? refused("RECORD_NOT_FOUND"))) };
}

/** Opens a closed account again. */
export async function reopen(
  ledger: Ledger,
  {
    mutation,
    merchantId,
    accountId,
  }: Pick<ReopenAccountRequest, "mutation" | "merchantId" | "accountId">,
) {
  const by = readMutation(mutation);
  assertMerchants(merchantId);
  const opened = await reopenAccount(ledger, { merchantId, accountId }, by);
  return { account: accountMessage(orThrow(opened ?? refused("RECORD_NOT_FOUND"))) };
}

const notEmpty = ({ unspent, amount }: Unspent, currency: string) =>
  refused(
    "STATE_NOT_REACHABLE",
    `The account has ${formatAmount(amount, currency)} ${currency} ${unspent}. It must have none.`,
  );

function readThreshold(text: string | undefined, currency: string): bigint | "none" {
  if (text === undefined) return "none";
  const amount = parseAmount(text, currency);
  if (!isRefused(amount)) return amount;
  const problem = amount.detail ?? "must be an amount";
  return orThrow(invalidRequest([{ field: "low_balance_threshold", problem }]));
}

type Credit = Pick<
  CreditAccountRequest,
  "mutation" | "merchantId" | "accountId" | "amount" | "currencyCode" | "note"
>;

/** Credits an account once per operation. A repeat returns the first entry. */
export async function credit(ledger: Ledger, request: Credit) {
  const { mutation, merchantId, accountId } = request;
  const { operationId, actor } = readMutation(mutation);
  const { amount, note } = await readCredit(ledger, request);
  const movement = { step: "credit", operationId, amount, note } as const;
  return entryOf(await ledger.apply({ merchantId, accountId, actor }, movement));
}

/** Reads a credit. Throws a refusal if it can't be booked. */
export async function readCredit(ledger: Ledger, request: Credit) {
  const { merchantId, accountId, amount: text, currencyCode } = request;
  const { currency } = await existing(ledger, merchantId, accountId);
  if (currencyCode !== "" && currencyCode !== currency) {
    return orThrow(
      refused("INVALID_REQUEST", `currency_code: must be the account's currency, ${currency}`),
    );
  }
  const amount = parseAmount(text, currency);
  if (isRefused(amount)) return orThrow(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  return { amount, note: readNote(request.note) };
}

/** Reverses a credit once. A repeat returns the first entry. */
async function reverse(ledger: Ledger, request: ReverseCreditRequest) {
  const { mutation, merchantId, accountId, entryId } = request;
  const { operationId, actor } = readMutation(mutation);
  assertMerchants(merchantId);
  const note = readReversalNote(request);
  const movement = { step: "reversal", operationId, creditKey: entryId, note } as const;
  const applied = await ledger.apply({ merchantId, accountId, actor }, movement);
  if (applied.outcome === "insufficient") return orThrow(refused("INSUFFICIENT_BALANCE"));
  return entryOf(applied);
}

export function readReversalNote(request: Pick<ReverseCreditRequest, "note">): string {
  const note = readNote(request.note);
  return note === "" ? orThrow(refused("INVALID_REQUEST", "note: is required")) : note;
}

/** Refuses a note that is too long or has control characters. */
export function readNote(text: string): string {
  const note = cleanText(text);
  if (note.length <= noteMax && textProblem(note) === undefined) return note;
  return orThrow(
    refused("INVALID_REQUEST", "note: must be at most 255 characters, without control characters"),
  );
}

function entryOf(applied: Applied) {
  switch (applied.outcome) {
    case "applied":
      return { entry: entryMessage(applied.entry) };
    case "closed":
      return orThrow(refused("SOURCE_ACCOUNT_CLOSED"));
    case "full":
      return orThrow(refused("INVALID_REQUEST", "amount: the balance would be too large"));
    case "no_account":
    case "nothing_to_end":
      return orThrow(refused("RECORD_NOT_FOUND"));
    default:
      throw new Error(`the movement was not applied: ${applied.outcome}`);
  }
}

function readEntryFilter(request: ListEntriesRequest): EntryFilter {
  const { payoutId, createdFrom, createdTo } = request;
  const step = enumName(LedgerStep, request.step);
  return {
    ...(step && { step }),
    ...(payoutId !== "" && { payoutId }),
    ...(createdFrom && { from: timestampDate(createdFrom) }),
    ...(createdTo && { to: timestampDate(createdTo) }),
  };
}

export function accountMessage(account: Account) {
  const { currency, lowBalanceThreshold: threshold } = account;
  return create(AccountSchema, {
    ...account,
    currencyCode: currency,
    available: formatAmount(account.available, currency),
    held: formatAmount(account.held, currency),
    lowBalanceThreshold: threshold === undefined ? "" : formatAmount(threshold, currency),
    createdAt: timestampFromDate(account.createdAt),
    updatedAt: timestampFromDate(account.updatedAt),
    closedAt: account.closedAt && timestampFromDate(account.closedAt),
  });
}

const isReservation = ({ step }: LedgerEntry) => step === "reserve" || step === "unreserve";

export function entryMessage(entry: LedgerEntry) {
  const text = (minor: bigint) => formatAmount(minor, entry.currency);
  return create(LedgerEntrySchema, {
    ...entry,
    ...(isReservation(entry) && { payoutId: "", scheduledPayoutId: entry.payoutId }),
    id: entry.key,
    sequence: BigInt(entry.sequence),
    // Only the treasury's RPCs return rail accounts.
    step: enumValue(LedgerStep, entry.step as MerchantStep),
    currencyCode: entry.currency,
    amount: text(entry.amount),
    available: text(entry.available),
    held: text(entry.held),
    createdAt: timestampFromDate(entry.createdAt),
    postings: entry.postings.map(({ account, currency, amount }) => ({
      account,
      currencyCode: currency,
      amount: postingText(amount),
    })),
  });
}
