import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AccountSchema,
  LedgerEntrySchema,
  LedgerStep as LedgerStepMessage,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Account, LedgerEntry, LedgerStep } from "./rules/account.ts";
import { postingText } from "./rules/movement.ts";

const stepNames: Readonly<Record<LedgerStepMessage, LedgerStep | undefined>> = {
  [LedgerStepMessage.UNSPECIFIED]: undefined,
  [LedgerStepMessage.CREDIT]: "credit",
  [LedgerStepMessage.HOLD]: "hold",
  [LedgerStepMessage.POST]: "post",
  [LedgerStepMessage.RELEASE]: "release",
  [LedgerStepMessage.RETURN]: "return",
  [LedgerStepMessage.REVERSAL]: "reversal",
};

const steps = {
  credit: LedgerStepMessage.CREDIT,
  hold: LedgerStepMessage.HOLD,
  post: LedgerStepMessage.POST,
  release: LedgerStepMessage.RELEASE,
  return: LedgerStepMessage.RETURN,
  reversal: LedgerStepMessage.REVERSAL,
} as const satisfies Record<LedgerStep, LedgerStepMessage>;

/** The step of a filter; `undefined` for any. */
export function stepFilter(message: LedgerStepMessage): LedgerStep | undefined {
  return stepNames[message];
}

export function accountMessage(account: Account) {
  return create(AccountSchema, {
    id: account.id,
    merchantId: account.merchantId,
    currencyCode: account.currency,
    available: formatAmount(account.available, account.currency),
    held: formatAmount(account.held, account.currency),
    createdAt: timestampFromDate(account.createdAt),
    updatedAt: timestampFromDate(account.updatedAt),
  });
}

export function entryMessage(entry: LedgerEntry) {
  const text = (minor: bigint) => formatAmount(minor, entry.currency);
  return create(LedgerEntrySchema, {
    id: entry.key,
    accountId: entry.accountId,
    sequence: BigInt(entry.sequence),
    step: steps[entry.step],
    currencyCode: entry.currency,
    amount: text(entry.amount),
    available: text(entry.available),
    held: text(entry.held),
    payoutId: entry.payoutId,
    note: entry.note,
    createdAt: timestampFromDate(entry.createdAt),
    postings: entry.postings.map(({ account, currency, amount }) => ({
      ...{ account, currencyCode: currency, amount: postingText(amount) },
    })),
    previousHash: entry.previousHash,
    hash: entry.hash,
    reverses: entry.reverses,
  });
}
