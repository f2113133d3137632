import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Argument, CallCommand, FileField } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const ledger = PayoutService.method;
const operations = PayoutOperatorService.method;

const account: Argument = {
  name: "account",
  field: "account_id",
  about: "the account's id, acc_…",
  source: { list: "accounts list", value: "id", name: "currency_code" },
};
const rail: Argument = {
  name: "rail",
  field: "rail",
  about: "the rail's name",
  source: { list: "rails list", value: "name" },
};

const railCurrency: Argument = {
  name: "currency",
  field: "currency_code",
  about: "the account's currency",
};
const railAmount: Argument = {
  name: "amount",
  field: "amount",
  about: "decimal digits: 250000.00",
};
const railNote = {
  name: "note",
  field: "note",
  about: "the bank's reference or the transaction's hash",
  isRequired: true,
} as const;

/** The limits of a merchant's payouts together, and of those to one account or wallet. */
const limitFields: readonly FileField[] = [
  { of: "merchant", whose: "of the merchant" },
  { of: "beneficiary", whose: "to one account or wallet" },
].flatMap(({ of, whose }) => [
  { field: `${of}.count_hour`, about: `payouts ${whose} in an hour` },
  { field: `${of}.count_day`, about: `payouts ${whose} in 24 hours` },
  { field: `${of}.amounts.*.currency_code`, about: `currency of an amount ${whose}` },
  { field: `${of}.amounts.*.hour`, about: `amount ${whose} in an hour` },
  { field: `${of}.amounts.*.day`, about: `amount ${whose} in 24 hours` },
]);

const controlFields: readonly FileField[] = [
  {
    field: "duplicate_window_seconds",
    about: "seconds in which an equal payout counts as a duplicate; 0 for no check",
  },
  { field: "approval.amounts.*.currency_code", about: "currency" },
  { field: "approval.amounts.*.minimum", about: "approval from this amount" },
  {
    field: "approval.amounts.*.window_seconds",
    about: "seconds in which payouts add up to this amount; 0 for each payout alone",
  },
  {
    field: "approval.new_beneficiary_days",
    about: "days for which a beneficiary is new and needs approval; 0 for none",
  },
  { field: "approval.batches", about: "whether each batch needs approval" },
  { field: "approval.lasts_seconds", about: "seconds until an approval expires; 86400 by default" },
];

const railColumns = ["name", "paused", "available", "reason", "currency_codes", "transfer_methods"];

export const moneyCommands: readonly CallCommand[] = [
  {
    name: "accounts list",
    summary: "a merchant's accounts with their balances",
    examples: ["accounts list mer_01k…"],
    method: ledger.listAccounts,
    arguments: [merchant],
    show: { list: "accounts", columns: ["id", "currency_code", "available", "held", "created_at"] },
  },
  {
    name: "accounts get",
    summary: "one account, now or at an earlier time",
    examples: [
      "accounts get mer_01k… acc_01k…",
      "accounts get mer_01k… acc_01k… --as-of 2026-11-20",
    ],
    method: ledger.getAccount,
    arguments: [merchant, account],
    options: [
      {
        name: "as-of",
        field: "as_of",
        value: "time",
        about: "the balance at this time",
      },
    ],
    show: { record: "account" },
  },
  {
    name: "accounts entries",
    summary: "the ledger entries of an account, newest first",
    examples: ["accounts entries mer_01k… acc_01k… --from 2026-11-20"],
    method: ledger.listEntries,
    arguments: [merchant, account],
    options: [
      { name: "step", field: "step", about: "only entries of this step" },
      { name: "payout", field: "payout_id", about: "only entries of this payout" },
      { name: "from", field: "created_from", value: "time", about: "at this time or later" },
      { name: "to", field: "created_to", value: "time", about: "before this time" },
    ],
    show: {
      list: "entries",
      columns: [
        ...["created_at", "step", "amount", "currency_code", "available", "held", "payout_id"],
        ...["note", "id"],
      ],
    },
  },
  {
    name: "accounts open",
    summary: "open an empty account in a currency",
    examples: ["accounts open mer_01k… USD"],
    method: ledger.openAccount,
    arguments: [merchant, { name: "currency", field: "currency_code", about: "USD, USDC_ETH, …" }],
    show: { record: "account" },
  },
  {
    name: "accounts reopen",
    summary: "open an account that its merchant closed",
    details: "Use it if money was returned to the account, so that the merchant can pay it out.",
    examples: ["accounts reopen mer_01k… acc_01k…"],
    method: ledger.reopenAccount,
    arguments: [merchant, account],
    show: { record: "account" },
  },
  {
    name: "accounts top-up",
    summary: "set the text that tells a merchant how to send money to an account",
    details:
      "The merchant sees it on the account's page. Another person has to approve it, because a wrong\n" +
      "text diverts money. Without a text, the present one is removed at once.",
    examples: ['accounts top-up mer_01k… acc_01k… --text "IBAN DE89…, reference ACME-1"'],
    method: ledger.setTopUpInstructions,
    arguments: [merchant, account],
    options: [
      {
        name: "text",
        field: "top_up_instructions",
        value: "text",
        about: "plain text of at most 2,000 characters, in lines",
        isText: true,
      },
    ],
    current: { method: ledger.getAccount, record: "account", at: "" },
    show: { record: "account" },
  },
  {
    name: "credits create",
    summary: "credit received money to an account",
    details: "Above a person's daily limit, another person has to approve it.",
    examples: ['credits create mer_01k… acc_01k… 250000.00 USD --note "wire of 20 November"'],
    method: ledger.creditAccount,
    arguments: [
      merchant,
      account,
      { name: "amount", field: "amount", about: "decimal digits: 250000.00" },
      { name: "currency", field: "currency_code", about: "must be the account's currency" },
    ],
    options: [{ name: "note", field: "note", about: "text for the statement" }],
    show: { record: "entry" },
  },
  {
    name: "credits reverse",
    summary: "reverse an erroneous credit in full",
    examples: ['credits reverse mer_01k… acc_01k… cli-…:credit --note "wrong account"'],
    method: ledger.reverseCredit,
    arguments: [
      merchant,
      account,
      {
        name: "entry",
        field: "entry_id",
        about: "the credit's id in the ledger",
        source: { list: "accounts entries", value: "id", name: "note" },
      },
    ],
    options: [
      { name: "note", field: "note", about: "the reason, for the statement", isRequired: true },
    ],
    show: { record: "entry" },
  },
  {
    name: "platform",
    summary: "balances of the platform accounts in each currency",
    examples: ["platform", "platform USD --json"],
    method: ledger.listPlatformBalances,
    arguments: [
      {
        name: "currency",
        field: "currency_code",
        about: "only this currency",
        isOptional: true,
      },
    ],
    show: { list: "balances", columns: ["account", "currency_code", "balance"] },
  },
  {
    name: "velocity get",
    summary: "hourly and daily limits of a merchant's payouts",
    examples: ["velocity get mer_01k…"],
    method: operations.getVelocityLimits,
    arguments: [merchant],
    show: { record: "limits" },
  },
  {
    name: "velocity set",
    summary: "replace a merchant's limits",
    details: "Anything that is omitted has no limit. Looser limits need another person's approval.",
    examples: ["velocity set mer_01k… limits.yaml --dry-run", "velocity set mer_01k… limits.yaml"],
    method: operations.setVelocityLimits,
    fixed: { merchant: {}, beneficiary: {} },
    registered: "merchant_id",
    arguments: [merchant, { name: "file", about: "the limits" }],
    file: { argument: "file", format: "limits", fields: limitFields },
    current: { method: operations.getVelocityLimits, record: "limits", at: "" },
    show: { record: "limits" },
  },
  {
    name: "controls get",
    summary: "duplicate checks and approval rules for a merchant's payouts",
    examples: ["controls get mer_01k…"],
    method: operations.getPayoutControls,
    arguments: [merchant],
    show: { record: "controls" },
  },
  {
    name: "controls set",
    summary: "replace a merchant's duplicate check and approval rules",
    details:
      "A payout that repeats account, amount and reference_id of another one within the duplicate\n" +
      "window is refused, unless it has allow_duplicate. A payout of at least the minimum, or to a\n" +
      "beneficiary newer than new_beneficiary_days, awaits another actor's approval for at most\n" +
      "lasts_seconds. With window_seconds, amounts to one account or by one actor add up within that\n" +
      "time. With batches, an actor other than its creator approves each batch. Controls\n" +
      "that are omitted are off. Looser controls need another person's approval.",
    examples: [
      "controls set mer_01k… controls.yaml --dry-run",
      "controls set mer_01k… controls.yaml",
    ],
    method: operations.setPayoutControls,
    fixed: { duplicate_window_seconds: 0, approval: {} },
    registered: "merchant_id",
    arguments: [merchant, { name: "file", about: "the controls" }],
    file: { argument: "file", format: "controls", fields: controlFields },
    current: { method: operations.getPayoutControls, record: "controls", at: "" },
    show: { record: "controls" },
  },
  {
    name: "rails list",
    summary: "all rails, and whether they accept transfers",
    examples: ["rails list"],
    method: operations.listRails,
    show: { list: "rails", columns: railColumns },
  },
  {
    name: "rails accounts",
    summary: "balances at the rails, and payouts that wait for funds",
    examples: ["rails accounts", "rails accounts ethereum --json"],
    method: operations.listRailAccounts,
    arguments: [{ ...rail, isOptional: true }],
    show: {
      list: "accounts",
      columns: [
        ...["rail", "currency_code", "available", "held"],
        ...["waiting_count", "waiting", "missing"],
      ],
    },
  },
  {
    name: "rails entries",
    summary: "the ledger entries of a rail account, newest first",
    examples: [
      "rails entries ethereum USDC_ETH",
      "rails entries ethereum USDC_ETH --from 2026-11-20",
    ],
    method: operations.listRailEntries,
    arguments: [rail, railCurrency],
    options: [
      { name: "from", field: "created_from", value: "time", about: "at this time or later" },
      { name: "to", field: "created_to", value: "time", about: "before this time" },
    ],
    show: {
      list: "entries",
      columns: ["created_at", "step", "amount", "available", "held", "payout_id", "note"],
    },
  },
  {
    name: "rails fund",
    summary: "book money received at a rail's bank or wallet",
    details:
      "Payouts that wait for funds continue. Above a person's daily limit, and always in live mode,\n" +
      "another person has to approve it.",
    examples: [
      'rails fund ethereum 250000.00 USDC_ETH --note "0x9f86…" --dry-run',
      'rails fund ethereum 250000.00 USDC_ETH --note "0x9f86…"',
    ],
    method: operations.fundRailAccount,
    arguments: [rail, railAmount, railCurrency],
    options: [railNote],
    show: { record: "entry" },
  },
  {
    name: "rails sweep",
    summary: "book money withdrawn from a rail's bank or wallet",
    details: "Approval as for `rails fund`. A charge is a fee of the bank or the chain.",
    examples: [
      'rails sweep ethereum 100000.00 USDC_ETH --note "0x2c26…"',
      'rails sweep bank 35.00 USD --charge --note "monthly fee, November"',
    ],
    method: operations.sweepRailAccount,
    arguments: [rail, railAmount, railCurrency],
    options: [
      railNote,
      { name: "charge", field: "charge", value: "", about: "book it as a cost of the platform" },
    ],
    show: { record: "entry" },
  },
  {
    name: "rails report",
    summary: "one day of a rail account, compared with the bank's statement",
    examples: ["rails report bank USD 2026-11-20", "rails report bank USD 2026-11-20 --json"],
    method: operations.getRailReport,
    arguments: [rail, railCurrency, { name: "day", field: "day", about: "yyyy-mm-dd, in UTC" }],
    show: { record: "report" },
  },
  {
    name: "rails pause",
    summary: "pause a rail; its payouts stay queued until it is resumed",
    details: "The rail gets no new transfers. It completes those that it has.",
    examples: ['rails pause sandbox --reason "maintenance until noon"'],
    method: operations.setRailPaused,
    fixed: { paused: true },
    arguments: [rail],
    options: [
      {
        name: "reason",
        field: "reason",
        about: "the reason, visible to all operators",
        isRequired: true,
      },
    ],
    show: { record: "rail" },
  },
  {
    name: "rails resume",
    summary: "resume a paused rail",
    examples: ["rails resume sandbox"],
    method: operations.setRailPaused,
    fixed: { paused: false },
    arguments: [rail],
    show: { record: "rail" },
  },
  {
    name: "wallets get",
    summary: "a rail's blockchain wallet and its unmined nonces",
    examples: ["wallets get sepolia"],
    method: operations.getChainWallet,
    arguments: [rail],
    show: { record: "wallet" },
  },
  {
    name: "wallets cancel",
    summary: "replace an unmined transaction with an empty one under the same nonce",
    details:
      "Another person has to approve it. The transaction that is mined decides: a payment settles\n" +
      "the payout; the empty transaction rejects it, or returns it to wait for a new nonce.",
    examples: ['wallets cancel sepolia 41 --end reject --reason "the merchant asked to stop it"'],
    method: operations.cancelNonce,
    arguments: [rail, { name: "nonce", field: "nonce", about: "the nonce, from `wallets get`" }],
    options: [
      { name: "end", field: "end", about: "what happens to the payout", isRequired: true },
      {
        name: "reason",
        field: "reason",
        about: "the reason, visible to all operators",
        isRequired: true,
      },
    ],
    show: { record: "nonce" },
  },
  {
    name: "wallets batches",
    summary: "the open batches of a rail that pays many payouts by one transaction",
    examples: ["wallets batches bitcoin", "wallets batches bitcoin --json"],
    method: operations.listTransactionBatches,
    arguments: [rail],
    show: { record: "" },
  },
  {
    name: "wallets cancel-batch",
    summary: "replace a batch's unmined payment with a transaction that pays nothing",
    details:
      "Another person has to approve it. The transaction that is mined decides: a payment settles\n" +
      "all payouts of the batch; the one that pays nothing rejects them.",
    examples: [
      'wallets cancel-batch bitcoin 4a5e…:1 --reason "the merchant asked to stop it, ticket 1234"',
    ],
    method: operations.cancelTransactionBatch,
    arguments: [
      rail,
      { name: "batch", field: "batch_id", about: "the batch, from `wallets batches`" },
    ],
    options: [
      {
        name: "reason",
        field: "reason",
        about: "the reason, visible to all operators",
        isRequired: true,
      },
    ],
    show: { record: "batch" },
  },
];
