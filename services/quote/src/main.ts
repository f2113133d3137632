import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { createLifetime, runService, type StartService } from "@disburse/chassis/service.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { readConfig } from "./config.ts";
import { openCorridors } from "./corridors/store.ts";
import { openQuotes } from "./quotes/store.ts";
import { quoteRpc } from "./rpc.ts";

/** Starts the quote service. */
export const start: StartService = async (environment, shared) => {
  const config = readConfig(environment);
  const log = createLog("quote", config.LOG_LEVEL, shared?.logTo);
  const lifetime = createLifetime(log);
  try {
    const database = await connectDatabase(config.MONGODB_URI, config.DATABASE);
    lifetime.add("database", database.close);
    const identity = { caller: "quote", serviceToken: config.SERVICE_TOKEN };
    const beneficiary = connectService(BeneficiaryService, config.BENEFICIARY_URL, identity);
    lifetime.add("beneficiary client", beneficiary.close);
    const payout = connectService(PayoutService, config.PAYOUT_URL, identity);
    lifetime.add("payout client", payout.close);
    const rpc = quoteRpc({
      quotes: await openQuotes(database),
      corridors: await openCorridors(database),
      beneficiary: beneficiary.rpc,
      payout: payout.rpc,
      clock: systemClock,
      quoteTtlSeconds: config.QUOTE_TTL_SECONDS,
    });
    const server = await startRpcServer({
      host: config.HOST,
      port: config.PORT,
      serviceToken: config.SERVICE_TOKEN,
      log,
      metrics: createMetrics("quote"),
      services: [QuoteService],
      routes: (router) => router.service(QuoteService, rpc),
      ready: database.ready,
    });
    lifetime.add("server", server.stop);
    return { url: server.url, stop: lifetime.end };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
};

if (import.meta.main) await runService("quote", start);
