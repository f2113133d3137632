import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { openIdentity } from "../../identity/open.ts";
import { identitySettings } from "../../identity/settings.ts";
import { silentLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import { readSettings } from "../../settings.ts";
import { startRpcServer } from "../server.ts";

/** For tests: a quote service in a separate process, which tests freeze and kill. */

/** Answers take a while, so that calls are in flight. */
const workMs = 5;

/** The time for which each token check blocks the thread, to simulate a busy machine. */
const busyMs = Number(process.argv[3] ?? 0);

/** Calls that were served after their caller had cancelled them. */
let left = 0;

const settings = {
  ...readSettings(process.env, identitySettings),
  DISBURSE_MODE: "sandbox",
} as const;
const { verify } = openIdentity("quote", settings, {}, silentLog);
const busily: typeof verify = (...given) => {
  const until = performance.now() + busyMs;
  while (performance.now() < until);
  return verify(...given);
};
const { url } = await startRpcServer({
  ...{ host: "127.0.0.1", port: Number(process.argv[2]), services: [QuoteService] },
  ...{ verify: busily, log: silentLog, metrics: createMetrics("test") },
  ready: async () => true,
  routes: (router) =>
    router.service(QuoteService, {
      getQuote: async ({ quoteId }) => {
        if (quoteId === "left") left += 1;
        await new Promise((resolve) => setTimeout(resolve, workMs));
        return { quote: { id: `${process.pid}`, merchantId: `${left}` } };
      },
    }),
});
process.stdout.write(`${url}\n`);
process.on("disconnect", () => process.exit());
