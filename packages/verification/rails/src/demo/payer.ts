import { setTimeout as pause } from "node:timers/promises";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { Disburse } from "@disburse/sdk/disburse.ts";
import { isDisburseError } from "@disburse/sdk/disburse-error.ts";

export type Payer = ReturnType<typeof createPayer>;

export type PayoutSeen = Awaited<ReturnType<Disburse["payouts"]["get"]>>;

const pollEveryMs = 200;

export function createPayer(sandbox: SandboxDocument) {
  const apiKey = sandbox.merchants.acme.api_key;
  const disburse = new Disburse({ apiKey, baseUrl: sandbox.base_url });
  const account = sandbox.accounts.find(
    ({ merchant, currency, available }) =>
      merchant === "acme" && currency === "USD" && !available.startsWith("0."),
  );
  if (account === undefined) throw new Error("the merchant acme has no funded USD account");
  const accountId = account.account_id;
  return {
    disburse,
    accountId,
    /** Quotes and executes. Returns the payout's id. */
    pay: async (beneficiaryId: string, currency: string, amount: string, reference: string) => {
      const quote = await disburse.quotes.request({
        source_amount: amount,
        beneficiary_id: beneficiaryId,
        account_id: accountId,
        source_currency_code: "USD",
        destination_currency_code: currency,
      });
      const payout = await disburse.payouts.execute({
        quote_id: quote.id,
        reference_id: reference,
      });
      return payout.id;
    },
    /** Waits for a payout's state. On a timeout, reports the current state. */
    until: async (
      id: string,
      isSo: (payout: PayoutSeen) => boolean,
      timeoutMs: number,
    ): Promise<PayoutSeen> => {
      const latest = Date.now() + timeoutMs;
      for (;;) {
        const payout = await disburse.payouts.get(id);
        if (isSo(payout)) return payout;
        if (Date.now() > latest) {
          throw new Error(
            `payout ${id} is still ${payout.status} (${payout.sub_status}) after ${timeoutMs} ms`,
          );
        }
        await pause(pollEveryMs);
      }
    },
  };
}

/** Returns an error's message, including the refusal's code. */
export function messageOf(error: unknown): string {
  if (isDisburseError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

export function inUsdc(units: bigint): string {
  const digits = units.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
