import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { admissionInterceptor, createAdmission } from "./admission.ts";
import { observeClients } from "./balancing/observe.ts";
import { connectService } from "./client.ts";
import { sendIdentity } from "./identity.ts";
import { startRpcServer } from "./server.ts";

/**
 * `npm run bench:rpc`: processor time of one call, both sides in this
 * process, over our own client and handler and over connect's, in turns.
 */

const callsAtOnce = 16;
const callsEach = 4_000;
const rounds = 5;

const serviceToken = "t".repeat(32);
const options = { serviceToken, log: silentLog, metrics: createMetrics("measure") };
const answer = {
  id: "qt_01ke6p55923kbpb47aj98ns91t4",
  merchantId: "mer_01ke6p50hd5dejvs5b3dkrgzm6",
  sourceAmount: "125.00",
  receivingAmount: "10437.50",
  exchangeRate: "83.5",
};
const implementation = { getQuote: () => ({ quote: answer }) };

/** Microseconds of processor time for a call. */
async function costOf(rpc: Client<typeof QuoteService>): Promise<number> {
  let left = callsEach;
  const before = process.cpuUsage();
  const caller = async () => {
    for (; left > 0; left -= 1) await rpc.getQuote({ merchantId: "mer_1", quoteId: "qt_1" });
  };
  await Promise.all(Array.from({ length: callsAtOnce }, caller));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / callsEach;
}

const own = await startRpcServer({
  ...{ ...options, host: "127.0.0.1", port: 0, services: [QuoteService] },
  ready: async () => true,
  routes: (router) => router.service(QuoteService, implementation),
});
const stock = createServer(
  connectNodeAdapter({
    routes: (router) => router.service(QuoteService, implementation),
    interceptors: [admissionInterceptor(createAdmission(options))],
  }),
);
await new Promise<void>((resolve) => stock.listen(0, "127.0.0.1", resolve));
const { port } = stock.address() as AddressInfo;
const observe = observeClients(options.metrics, silentLog);
const lean = connectService(QuoteService, own.url, { caller: "measure", serviceToken, observe });
const stockTransport = createConnectTransport({
  ...{ baseUrl: `http://127.0.0.1:${port}`, httpVersion: "2", useBinaryFormat: true },
  interceptors: [sendIdentity("measure", serviceToken)],
});
const clients = { lean: lean.rpc, stock: createClient(QuoteService, stockTransport) };

const costs: Record<keyof typeof clients, number[]> = { lean: [], stock: [] };
for (let round = 0; round <= rounds; round += 1) {
  for (const side of ["lean", "stock"] as const) {
    const cost = await costOf(clients[side]);
    // The first round warms up.
    if (round > 0) costs[side].push(cost);
  }
}
const [ours, theirs] = [Math.min(...costs.lean), Math.min(...costs.stock)].map(Math.round);
process.stdout.write(
  `${callsAtOnce} calls at once, both sides, best of ${rounds}: own ${ours} µs, connect over HTTP/2 ${theirs} µs\n`,
);
process.exit(0);
