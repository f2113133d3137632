import { cacheMetrics } from "@disburse/chassis/cache.ts";
import { runService, serviceStart } from "@disburse/chassis/service.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { openCorridors } from "./corridors/store.ts";
import { migrations } from "./migrations.ts";
import { openQuotes } from "./quotes/store.ts";
import { quoteRpc } from "./rpc.ts";

/** Starts the quote service. */
export const start = serviceStart("quote", readConfig, migrations, async (opening) => {
  const { config, database, metrics, connect, serve } = opening;
  const rpc = quoteRpc({
    quotes: openQuotes(database),
    corridors: openCorridors(database),
    countRead: cacheMetrics(metrics),
    beneficiary: connect(BeneficiaryService, config.BENEFICIARY_URL),
    payout: connect(PayoutService, config.PAYOUT_URL),
    clock: systemClock,
    quoteTtlSeconds: config.QUOTE_TTL_SECONDS,
  });
  return serve({ services: [QuoteService], routes: (router) => router.service(QuoteService, rpc) });
});

if (import.meta.main) await runService("quote", start);
