import {
  callGateway,
  execute,
  registerBeneficiary,
  requestQuote,
} from "@disburse/platform/merchant.ts";
import type { Drill } from "../drill.ts";

/** Loses a beneficiary that was registered, screened and paid. */
export const beneficiaryLoss: Drill = {
  service: "beneficiary",
  after: async (platform, noted) => {
    noted.beneficiary = await registerBeneficiary(platform);
    const quoteId = await requestQuote(platform, noted.beneficiary);
    noted.payout = (await execute(platform, quoteId, "order-lost")).payoutId;
  },
  recover: async (platform, { noted }) => {
    const { beneficiary = "", payout = "" } = noted;
    const read = await callGateway(platform, "GET", `/transfer/beneficiaries/${beneficiary}`);
    const paid = await callGateway(platform, "GET", `/transfer/payouts/${payout}`);
    const again = await registerBeneficiary(platform);
    const listed = await platform.clients.compliance.listScreenings({ recordId: beneficiary });
    return [
      `${beneficiary} is ${read.status} to its merchant; its payout is ${paid.data.status}`,
      `compliance still has ${listed.screenings.length} screenings of it`,
      `the merchant registers it again, as ${again}`,
      `quotes for it: ${await requestQuote(platform, again)}`,
    ];
  },
  // A payout stores the beneficiary's name. Only the rail still has the account number.
  stays: ({ detail }) => /has no beneficiary|its stored response names ben_/.test(detail),
};
