import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasOpenSsh, openSshReason } from "@disburse/bank-simulator/openssh.ts";
import { type Outcome, outcomesByRules } from "@disburse/bank-simulator/outcomes.ts";
import type { BankName } from "@disburse/rails/counterparts/bank-rails.ts";
import { type Banks, startBanks } from "@disburse/rails/counterparts/banks.ts";
import { fundRails, fundsOf } from "@disburse/rails/counterparts/funding.ts";
import { routesOf } from "@disburse/rails/counterparts/routes.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type BankTransfer, bankBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Tests bank rails through an OpenSSH server and a bank that processes files automatically. */

const outcomes: readonly Outcome[] = [
  "settled",
  "rejected",
  "returned",
  "returned-short",
  "changed",
];

describe.skipIf(!hasOpenSsh)(`payouts by files of banks${openSshReason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "disburse-rails-"));
  let platform: TestPlatform;
  let banks: Banks;
  let acme: Payer;

  beforeAll(async () => {
    const outcomeOf = outcomesByRules(
      outcomes.map((outcome) => ({ outcome, name: ` ${outcome}` })).toReversed(),
    );
    const choices = () => ({ outcomeOf, pace: 100 });
    // Sends each payment immediately in a separate file.
    const names = ["bank-usd", "bank-ach"] as const;
    banks = await startBanks(folder, { names, choices, paymentsMax: () => 1 });
    platform = await startTestPlatform({
      RAIL_ROUTES: JSON.stringify(routesOf(undefined, banks, undefined)),
      BANK_RAILS_FILE: banks.settingsFile,
    });
    const amounts = { amount: "10000.00", bitcoins: "0" };
    await fundRails(platform.clients, fundsOf(undefined, banks, undefined, amounts));
    acme = payerOf(platform, "acme");
  });
  afterAll(async () => {
    await platform?.stop();
    await banks?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Pays 25.00 USD to a payee with this outcome. Returns the payout's id. */
  async function pay(transfer: BankTransfer, outcome: Outcome): Promise<string> {
    const body = { ...bankBody(transfer), beneficiary_last_name: outcome };
    const { beneficiary_id } = await acme.data("POST", paths.fiat, body);
    const currencies = { source_currency_code: "USD", destination_currency_code: "USD" };
    const account_id = platform.accountId("acme", "USD");
    const request = { receiving_amount: "25.00", beneficiary_id, account_id, ...currencies };
    const { id: quote_id } = await acme.data("POST", paths.rfq, request);
    const { id } = await acme.data("POST", paths.execute, { quote_id });
    return id;
  }

  /** Waits until a payout reaches a state, and returns it. */
  async function until(id: string, sub_status: string) {
    return await vi.waitFor(
      async () => {
        const payout = await acme.data("GET", `${paths.payouts}/${id}`);
        expect(payout).toMatchObject({ sub_status });
        return payout;
      },
      { timeout: 120_000, interval: 200 },
    );
  }

  /** Counts a payout's payments and returns in the bank's own book. */
  function booked(name: BankName, id: string) {
    const endToEndId = id.slice("po_".length).toUpperCase();
    const { book } = banks.of(name);
    return [book.paid(endToEndId), book.returned(endToEndId)];
  }

  it.concurrent.each([
    ["SWIFT to an IBAN", "settled", "settled", [1, 0], "", ""],
    ["SWIFT to an IBAN", "rejected", "rejected", [0, 0], "ACCOUNT_CLOSED", "AC04"],
    ["SWIFT to an IBAN", "returned", "returned", [1, 1], "ACCOUNT_CLOSED", "AC04"],
    ["SWIFT to an IBAN", "returned-short", "returned", [1, 1], "ACCOUNT_CLOSED", "AC04"],
    ["ACH", "returned", "returned", [1, 1], "ACCOUNT_CLOSED", "R02"],
  ] as const)("%s that is %s is %s", async (transfer, outcome, state, times, code, railCode) => {
    const id = await pay(transfer, outcome);
    const payout = await until(id, state);
    expect(payout).toMatchObject({ failure_code: code, rail_code: railCode });
    expect(booked(transfer === "ACH" ? "bank-ach" : "bank-usd", id)).toEqual(times);
  });
});
