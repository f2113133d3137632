import { mayProveNotExecuted } from "@disburse/bank-files/matching/proof.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { currencyOf, findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { readRailSettings } from "@disburse/rail/settings.ts";
import { z } from "zod";
import { iso20022Profile, iso20022ProfileProblems } from "./iso20022/profile.ts";
import { nachaProfile, nachaProfileProblems } from "./nacha/profile.ts";
import { count, scheduleSchema, sftpSchema, text } from "./settings-parts.ts";

export const setting = "BANK_RAILS";

/** Settings that every format has: the account, the schedule and the server. */
const common = {
  /** The rail's name in `RAIL_ROUTES`. The name is stored with each payout and must not change. */
  rail: z.string().regex(/^[a-z0-9-]{1,64}$/),
  /** The currency of the account and of the rail's payments. */
  currency: z
    .string()
    .refine((code) => isPaidByBanks(code), "must be a currency that bank rails support"),
  schedule: scheduleSchema,
  sftp: sftpSchema,
  /**
   * True if the bank's handbook says that the bank refuses a duplicate file. Otherwise an operator
   * must decide before the rail resends the same bytes after a crash.
   */
  refuses_duplicates: z.boolean().default(false),
  /** The number of hours after submission until an open payout is overdue. */
  overdue_after_hours: count(1, 10_000).default(96),
};

const iso20022Schema = z.strictObject({
  ...common,
  format: z.literal("iso20022"),
  transfer_methods: z.array(z.enum(["SWIFT", "LOCAL", "SEPA"])).min(1),
  profile: iso20022Profile,
  /**
   * True if the bank's handbook says that status ACSC is final. Otherwise only a booking settles a
   * payment.
   */
  status_settles: z.boolean().default(false),
  /**
   * The maximum amount by which a return may be short without a named charge, as decimal text of
   * the currency.
   */
  return_charges_max: text(20).default("0"),
  /**
   * The bank's own reason codes that mean, according to its handbook, that a payment was not
   * executed.
   */
  not_executed_codes: z
    .array(
      text(35).refine(
        mayProveNotExecuted,
        "must not be a code that leaves it open whether the payment was executed",
      ),
    )
    .default([]),
  /**
   * The number of banking days after the execution date. According to the bank's handbook, a
   * rejected payment was not executed if no statement of these days shows a debit. If absent, two
   * operators decide.
   */
  unpaid_after_bank_days: count(1, 60).optional(),
});

const nachaSchema = z.strictObject({
  ...common,
  format: z.literal("nacha"),
  transfer_methods: z.array(z.literal("ACH")).min(1),
  profile: nachaProfile,
  /** The account identifier in camt.053 statements, if the bank sends them. */
  statement_account: text(34).optional(),
  /**
   * The number of banking days after settlement during which a credit may still be returned. Then
   * the credit counts as settled.
   */
  return_window_days: count(0, 60).default(2),
});

const railSchema = z
  .discriminatedUnion("format", [iso20022Schema, nachaSchema])
  .superRefine((rail, context) => {
    const problem = (message: string) => context.addIssue({ code: "custom", message });
    if (findCurrency(rail.currency) === undefined) return;
    for (const { max } of rail.schedule.windows) {
      if (max !== undefined && minorOf(max, rail.currency) === undefined) {
        problem("schedule.windows.max: must be an amount of the currency");
      }
    }
    if (rail.format === "nacha") {
      if (rail.currency !== "USD") problem("currency: NACHA files are in USD");
      if (!rail.schedule.calendars.includes("FEDERAL_RESERVE")) {
        problem("schedule.calendars: must contain FEDERAL_RESERVE");
      }
      for (const each of nachaProfileProblems(rail.profile)) problem(`profile.${each}`);
      return;
    }
    if (minorOf(rail.return_charges_max, rail.currency) === undefined) {
      problem("return_charges_max: must be an amount of the currency");
    }
    for (const each of iso20022ProfileProblems(rail.profile, rail.currency)) {
      problem(`profile.${each}`);
    }
  });

/** Settings of one account at one bank. They contain no secret, only file names. */
export type BankRailSettings = z.output<typeof railSchema>;

export type Iso20022RailSettings = Extract<BankRailSettings, { format: "iso20022" }>;

export type NachaRailSettings = Extract<BankRailSettings, { format: "nacha" }>;

const fileSchema = z.array(railSchema).superRefine((rails, context) => {
  const names = rails.map(({ rail }) => rail);
  if (new Set(names).size !== names.length) {
    context.addIssue({ code: "custom", message: "the names of the rails must be unique" });
  }
});

/** Reads the bank rails from settings. @throws {SettingsError} */
export function readBankRails(text: string): readonly BankRailSettings[] {
  return readRailSettings(setting, fileSchema, text);
}

/**
 * Requires the payer's town and country. SWIFT refuses payments without them since 14 November 2026
 * (CBPR+).
 *
 * @throws {SettingsError}
 */
export function assertLiveBanks(rails: readonly BankRailSettings[]): void {
  const without = rails.filter((rail) => {
    if (rail.format !== "iso20022" || !rail.transfer_methods.includes("SWIFT")) return false;
    return rail.profile.debtor.address === undefined;
  });
  if (without.length === 0) return;
  const names = without.map(({ rail }) => rail).join(", ");
  throw new SettingsError(
    `settings: ${setting}: ${names}: profile.debtor.address: is required for SWIFT in live mode and must have a town and a country`,
  );
}

/**
 * Converts decimal text of a currency to minor units. Returns `undefined` if the text is invalid.
 * "0" is valid.
 */
export function minorOf(amount: string, currency: string): bigint | undefined {
  if (/^0(?:\.0+)?$/.test(amount)) return 0n;
  const minor = parseAmount(amount, currencyOf(currency).code);
  return isRefused(minor) ? undefined : minor;
}

/** `USDC` is a valid account currency, but banks can't pay it. */
function isPaidByBanks(code: string): boolean {
  return findCurrency(code)?.kind === "fiat";
}
