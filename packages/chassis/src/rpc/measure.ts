import { createServer as createHttp1Server } from "node:http";
import { createServer } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { type Client, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { withCallContext } from "../call-context.ts";
import {
  generateServiceKey,
  readServiceKey,
  readTrustedKeys,
  trustedKeysText,
} from "../identity/keys.ts";
import { serviceIdentity } from "../identity/service-tokens.ts";
import { createVerifier } from "../identity/verifier.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { exportSpans } from "../tracing/exported.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { admissionInterceptor, createAdmission } from "./admission.ts";
import { observeClients } from "./balancing/observe.ts";
import { connectService } from "./client.ts";
import { sendIdentity } from "./identity.ts";
import { startRpcServer } from "./server.ts";

/**
 * `npm run bench:rpc` measures the processor time of one call, with client and server in this
 * process. It alternates between three variants: our own client and handler, the same with one
 * trace in ten recorded, and those of the library connect.
 */

const callsAtOnce = 16;
const callsEach = 4_000;
const rounds = 5;
/** The share of traces that is recorded when tracing is measured. */
const recordedShare = 0.1;

const { privateText, publicJwk } = generateServiceKey("gateway");
const identity = serviceIdentity(readServiceKey(privateText), "disburse");
const trusted = readTrustedKeys(trustedKeysText([publicJwk]));
const trust = { service: "quote", trustDomain: "disburse", trustedKeys: () => trusted };
const options = {
  verify: createVerifier(trust),
  log: silentLog,
  metrics: createMetrics("measure"),
};
const answer = {
  id: "qt_01ke6p55923kbpb47aj98ns91t4",
  merchantId: "mer_01ke6p50hd5dejvs5b3dkrgzm6",
  sourceAmount: "125.00",
  receivingAmount: "10437.50",
  exchangeRate: "83.5",
};
const implementation = { getQuote: () => ({ quote: answer }) };

const collector = createHttp1Server((request, response) => {
  request.resume().on("end", () => response.end());
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const { tracing } = exportSpans({
  url: `http://127.0.0.1:${portOf(collector)}`,
  name: "measure",
  everyMs: 1_000,
  share: recordedShare,
  log: silentLog,
});

/** Returns the processor time of a call in microseconds. */
async function costOf(rpc: Client<typeof QuoteService>, isTraced: boolean): Promise<number> {
  let left = callsEach;
  const before = process.cpuUsage();
  const request = { kind: "server", name: "measure" } as const;
  const call = () => rpc.getQuote({ merchantId: "mer_1", quoteId: "qt_1" });
  const caller = async () => {
    for (; left > 0; left -= 1) {
      const span = isTraced ? tracing.startRequest(request, undefined) : undefined;
      await withCallContext({ requestId: "measure", span: span?.context }, call);
      span?.end();
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, caller));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / callsEach;
}

const serve = (tracing?: Tracing) =>
  startRpcServer({
    ...options,
    tracing,
    host: "127.0.0.1",
    port: 0,
    services: [QuoteService],
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
const observe = observeClients(options.metrics, silentLog);
const lean = async (tracing?: Tracing) => {
  const { url } = await serve(tracing);
  return connectService(QuoteService, url, { identity, observe, tracing }).rpc;
};
const stockTransport = createConnectTransport({
  baseUrl: `http://127.0.0.1:${portOf(stock)}`,
  httpVersion: "2",
  useBinaryFormat: true,
  interceptors: [sendIdentity(identity, "quote")],
});
const clients = {
  lean: await lean(),
  traced: await lean(tracing),
  stock: createClient(QuoteService, stockTransport),
};

const costs: Record<keyof typeof clients, number[]> = { lean: [], traced: [], stock: [] };
for (let round = 0; round <= rounds; round += 1) {
  for (const side of ["lean", "traced", "stock"] as const) {
    const cost = await costOf(clients[side], side === "traced");
    // The first round only warms up and does not count.
    if (round > 0) costs[side].push(cost);
  }
}
const [ours, traced, theirs] = [costs.lean, costs.traced, costs.stock].map((of) =>
  Math.round(Math.min(...of)),
);
process.stdout.write(
  `${callsAtOnce} calls at once, both sides, best of ${rounds}: own ${ours} µs, ` +
    `with ${recordedShare * 100} % of traces recorded ${traced} µs, connect over HTTP/2 ${theirs} µs\n`,
);
process.exit(0);

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
