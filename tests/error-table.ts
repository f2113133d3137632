import type { GatewayAnswer } from "@disburse/testkit/merchant.ts";
import { expect, vi } from "vitest";
import { paths } from "./bodies.ts";
import type { Payer } from "./payer.ts";

/** The contract's error table, literally, with additions noted on their rows. */
const table = {
  INVALID_WALLET_ADDRESS: [400, "Wallet address is invalid"],
  RISK_ANALYSIS_FAILED: [400, "Wallet id was found risky"],
  RECORD_NOT_FOUND: [404, "Unable to find the record requested."],
  BENEFICIARY_CREATION_NOT_ALLOWED: [403, "Beneficiary creation not allowed"],
  INVALID_JSON: [400, "Please check the request payload."],
  CORRIDOR_NOT_ACTIVE: [400, "Corridor Not Active"],
  ACCESS_FORBIDDEN: [403, "You are not authorized to access this record."],
  BENEFICIARY_NOT_READY: [409, "The screening of this beneficiary has not finished."],
  QUOTE_EXPIRED: [400, "This quote is expired"],
  ALREADY_PROCESSED: [400, "Transaction Already Processed"],
  AMOUNT_NOT_WITHIN_LIMITS: [400, "Amount is not within limits."],
  NOT_CANCELLABLE: [409, "The batch is finished. It must be awaiting_approval or running."],
  LIMIT_EXCEEDED: [403, expect.stringMatching(/^At most /)],
  INSUFFICIENT_BALANCE: [400, "Balance is not sufficient for this transaction"],
  INVALID_REQUEST: [400, expect.stringMatching(/^\S+: must |^\S+: is required/)],
} as const;
export type Code = keyof typeof table;

/** Expects a response that matches a row of the table. */
export function expectRefusal({ status, json }: GatewayAnswer, code: Code): void {
  expect([status, json]).toMatchObject([table[code][0], { code, message: table[code][1] }]);
}

/**
 * Returns all money, payouts and endpoints that a merchant can see, once no payout is in progress.
 */
export async function world(payer: Payer): Promise<object> {
  return vi.waitFor(
    async () => {
      const { transactions } = await payer.data("GET", `${paths.payouts}?limit=100`);
      const underWay = transactions.filter(isUnderWay);
      expect(underWay).toEqual([]);
      const { text: accounts } = await payer.get(paths.accounts);
      const { text: endpoints } = await payer.get(paths.endpoints);
      return { transactions, accounts, endpoints };
    },
    { timeout: 10_000 },
  );
}

const isUnderWay = ({ status }: { status: string }) => status === "initiated";

/** Expects a refusal that changes nothing. */
export async function expectNoEffect(payer: Payer, path: string, body: unknown, code: Code) {
  const before = await world(payer);
  expectRefusal(await payer.post(path, body), code);
  expect(await world(payer)).toEqual(before);
}
