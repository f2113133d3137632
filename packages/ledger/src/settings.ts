import { setTimeout as pause } from "node:timers/promises";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { UpdateFilter } from "mongodb";
import { type AccountDocument, type LedgerCollections, toAccount } from "./documents.ts";
import { lowFieldsAt } from "./low-balance.ts";
import type { Account } from "./rules/account.ts";
import type { OwnAccount } from "./statement.ts";

/** New values of the merchant's settings. An absent one stays unchanged. */
export type AccountSettings = {
  /** "" removes the name. */
  readonly name?: string | undefined;
  /** In minor units; `none` removes the threshold. */
  readonly lowBalanceThreshold?: bigint | "none" | undefined;
};

/** The number of changes to keep, by which a repeat is detected. Repeats arrive within minutes. */
const updatesKept = 20;
/** The maximum number of attempts while movements change the account. */
const triesMax = 100;
/** The maximum random pause between attempts. */
const pauseMaxMs = 10;

type Accounts = Pick<LedgerCollections, "accounts">;

/**
 * Changes the settings once per operation. A repeat returns the account as it is now, and an unknown
 * account `undefined`. The same write decides if the balance is below a new threshold.
 */
export function changeSettings(
  ledger: Accounts,
  own: OwnAccount,
  settings: AccountSettings,
  by: Change,
): Promise<Account | undefined> {
  return change(ledger, own, by, (document, at) => changeOf(document, settings, at));
}

/** Money of an account that must be spent before the account can be closed, in minor units. */
export type Unspent = { readonly unspent: "available" | "reserved"; readonly amount: bigint };

/**
 * Closes an account without available and reserved money. Other held money doesn't matter: its
 * payouts end. A hold that comes at the same time is either in the account before, or is refused.
 */
export async function closeAccount(
  ledger: Accounts,
  own: OwnAccount,
  by: Change,
): Promise<Account | undefined | Unspent> {
  let left: Unspent | undefined;
  const closed = await change(ledger, own, by, (document, at) => {
    left = document.closed_at === undefined ? unspentIn(document) : undefined;
    if (document.closed_at !== undefined || left !== undefined) return undefined;
    return { $set: { closed_at: at, updated_at: at } };
  });
  return left ?? closed;
}

function unspentIn({ available, reserved }: AccountDocument): Unspent | undefined {
  const minor = {
    available: fromDecimal128(available),
    reserved: reserved && fromDecimal128(reserved),
  };
  if (minor.available !== 0n) return { unspent: "available", amount: minor.available };
  return minor.reserved ? { unspent: "reserved", amount: minor.reserved } : undefined;
}

/** Opens a closed account again. */
export function reopenAccount(ledger: Accounts, own: OwnAccount, by: Change) {
  return change(ledger, own, by, ({ closed_at }, at) =>
    closed_at === undefined ? undefined : { $set: { updated_at: at }, $unset: { closed_at: "" } },
  );
}

/**
 * Sets the text on how to send money to an account. "" removes it. If `before` is given and the
 * account has another text, returns `superseded` and changes nothing.
 */
export async function setTopUpInstructions(
  ledger: Accounts,
  own: OwnAccount,
  { text, before }: { readonly text: string; readonly before?: string | undefined },
  by: Change,
): Promise<Account | undefined | "superseded"> {
  let isSuperseded = false;
  const set = await change(ledger, own, by, ({ top_up_instructions: present = "" }, at) => {
    isSuperseded = before !== undefined && before !== present;
    if (isSuperseded) return undefined;
    return text === ""
      ? { $set: { updated_at: at }, $unset: { top_up_instructions: "" } }
      : { $set: { updated_at: at, top_up_instructions: text } };
  });
  return isSuperseded ? "superseded" : set;
}

/**
 * Changes an account at its revision, once per operation. `changeOf` returns `undefined` if nothing
 * is to change. Returns the account after that, or `undefined` if the merchant has no such account.
 */
async function change(
  { accounts }: Accounts,
  { merchantId, accountId }: OwnAccount,
  { operationId, actor }: Change,
  changeOf: (document: AccountDocument, at: Date) => UpdateFilter<AccountDocument> | undefined,
): Promise<Account | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await findWithTime(accounts, accountId);
    if (found === null || found.merchant_id !== merchantId) return undefined;
    const { now, ...document } = found;
    if (document.updates?.some((each) => each.operation_id === operationId)) {
      return toAccount(document);
    }
    // The time of an account never decreases, even if the database's clock did.
    const at = new Date(Math.max(now.getTime(), document.updated_at.getTime()));
    const update = changeOf(document, at);
    if (update === undefined) return toAccount(document);
    const { _id, revision } = document;
    const made = { at, operation_id: operationId, actor };
    const after = await accounts.findOneAndUpdate(
      { _id, revision },
      {
        ...update,
        $push: { updates: { $each: [made], $slice: -updatesKept } },
        $inc: { revision: 1 },
      },
      { returnDocument: "after" },
    );
    if (after !== null) return toAccount(after);
    await pause(Math.random() * pauseMaxMs);
  }
  throw new Error("every attempt to change the account conflicted with another write");
}

function changeOf(
  document: AccountDocument,
  { name, lowBalanceThreshold: threshold }: AccountSettings,
  at: Date,
): UpdateFilter<AccountDocument> {
  const low = typeof threshold === "bigint" ? lowFieldsAt(document, threshold, at) : {};
  return {
    $set: {
      updated_at: at,
      ...(name && { name }),
      ...(typeof threshold === "bigint" && {
        low_balance_threshold: toDecimal128(threshold),
        ...low,
      }),
      ...(low.low_events !== undefined && { dirty: true as const }),
    },
    ...((name === "" || threshold === "none") && {
      $unset: {
        ...(name === "" && { name: "" }),
        ...(threshold === "none" && { low_balance_threshold: "", is_low: "" }),
      },
    }),
  };
}
