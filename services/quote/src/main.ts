import type { Client } from "@connectrpc/connect";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { cacheMetrics } from "@disburse/chassis/cache.ts";
import { runService, serviceStart } from "@disburse/chassis/service/start.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { startRateAges } from "./corridors/rate-history.ts";
import { migrations } from "./migrations.ts";
import { createQuoteCount } from "./quotes/count.ts";
import { openQuoteService } from "./wiring.ts";

export const start = serviceStart("quote", readConfig, migrations, async (opening) => {
  const { config, log, database, metrics, lifetime, connect, serve } = opening;
  const openMax = config.OPEN_PROPOSALS_PER_MERCHANT;
  const approvals = openApprovals({ db: database.db, clock, log, openMax });
  lifetime.add("approvals", approvals.start().stop);
  const payout = connect(PayoutService, config.PAYOUT_URL);
  const { corridors, rpc, sandboxRpc } = openQuoteService({
    database,
    approvals: {
      guard: approvals.guard,
      limits: { rateMove: config.APPROVAL_RATE_MOVE, corridors: !config.APPROVAL_CORRIDORS },
    },
    countRead: cacheMetrics(metrics),
    countQuote: createQuoteCount(metrics),
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    payout,
    isPayable: config.DISBURSE_MODE === "live" ? askPayable(payout) : undefined,
    clock,
    quoteTtlSeconds: config.QUOTE_TTL_SECONDS,
  });
  lifetime.add("rate ages", startRateAges({ corridors, metrics, clock, log }).stop);
  return serve({
    services: [QuoteService, QuoteSandboxService, ApprovalService],
    routes: (router) => {
      router.service(QuoteService, rpc);
      router.service(QuoteSandboxService, sandboxRpc);
      router.service(ApprovalService, approvals.rpc);
    },
  });
});

const askPayable =
  (payout: Client<typeof PayoutService>) =>
  async (currencyCode: string): Promise<boolean> =>
    (await payout.checkDestination({ currencyCode })).payable;

if (import.meta.main) await runService("quote", start);
