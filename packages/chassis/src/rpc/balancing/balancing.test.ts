import { type AddressInfo, createServer, type Socket } from "node:net";
import { Code } from "@connectrpc/connect";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterEach, expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import { connectService } from "../client.ts";
import { startRpcServer } from "../server.ts";
import { observeClients } from "./observe.ts";

/** Test machines are slow at times. */
const soon = { timeout: 10_000 };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(options: { port?: number; ageMs?: number } = {}) {
  const state = { calls: 0, asked: 0, isReady: true, url: "", stop: () => Promise.resolve() };
  const server = await startRpcServer({
    ...{
      host: "127.0.0.1",
      port: options.port ?? 0,
      verify: testTrust.verify("quote"),
      log: silentLog,
    },
    ...(options.ageMs !== undefined && { connectionAgeMs: options.ageMs }),
    metrics: createMetrics("test"),
    services: [QuoteService],
    ready: async () => {
      state.asked += 1;
      return state.isReady;
    },
    routes: (router) =>
      router.service(QuoteService, {
        getQuote: () => {
          state.calls += 1;
          return { quote: { id: "q" } };
        },
      }),
  });
  ends.push(() => server.stop());
  return Object.assign(state, { url: server.url, stop: () => server.stop() });
}

/** A server that accepts a call and ends its connection, without an answer. */
async function breaking() {
  const state = { calls: 0, url: "" };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => {
      state.calls += 1;
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

const identity = { identity: testTrust.service("gateway") };

function connect(urls: readonly string[]) {
  const metrics = createMetrics("test");
  const observe = observeClients(metrics, silentLog);
  const { rpc, close } = connectService(QuoteService, urls, { ...identity, observe });
  ends.push(close);
  const call = () => rpc.getQuote({ quoteId: "q" });
  return { rpc, call, text: metrics.text };
}

it("shares calls out among endpoints, within 60 to 40", async () => {
  const [one, two] = [await serve(), await serve()];
  const { call } = connect([one.url, two.url]);
  for (let made = 0; made < 1_000; made += 8) await Promise.all(Array.from({ length: 8 }, call));
  expect(one.calls + two.calls).toBe(1_000);
  expect(Math.max(one.calls, two.calls)).toBeLessThan(600);
});

it("shares streams out too", async () => {
  const [one, two] = [await serve(), await serve()];
  const { rpc, close } = connectService(Health, [one.url, two.url], identity);
  ends.push(close);
  const abort = new AbortController();
  for (let made = 0; made < 30; made += 1) {
    const watch = rpc.watch({}, { signal: abort.signal })[Symbol.asyncIterator]();
    expect((await watch.next()).value?.status).toBe(1);
  }
  abort.abort();
  expect(Math.min(one.asked, two.asked)).toBeGreaterThan(5);
});

it("sends a read or a keyed mutation again after a broken connection, nothing else", async () => {
  const [bad, good] = [await breaking(), await serve()];
  const quotes = connect([bad.url, good.url]);
  while (bad.calls === 0) expect((await quotes.call()).quote?.id).toBe("q");
  expect(await quotes.text()).toContain(
    'retries_total{peer="quote",reason="broken",service="test"} 1',
  );
  expect(await quotes.text()).toContain('rpc_client_endpoints{peer="quote",service="test"} 2');
  expect(await quotes.text()).toContain('ejected{peer="quote",service="test"} 1');

  // The first server is still probed.
  const [one, other] = [await breaking(), await breaking()];
  const { rpc, close } = connectService(PayoutOperatorService, [one.url, other.url], identity);
  ends.push(close);
  await expect(rpc.republishPayoutEvents({})).rejects.toMatchObject({ code: Code.Unavailable });
  expect(one.calls + other.calls).toBe(1);
});

it("sends nothing again to a lone endpoint that broke the connection", async () => {
  const bad = await breaking();
  const { call } = connect([bad.url]);
  await expect(call()).rejects.toMatchObject({ code: Code.Unavailable });
  expect(bad.calls).toBe(1);
});

it("leaves an endpoint that ends its connections and says that it does not serve", async () => {
  const [leaving, other] = [await serve({ ageMs: 0 }), await serve()];
  const { call, text } = connect([leaving.url, other.url]);
  leaving.isReady = false;
  await expect
    .poll(async () => {
      await call();
      return text();
    }, soon)
    .toContain('ejected{peer="quote",service="test"} 1');
  const before = leaving.calls;
  for (let made = 0; made < 50; made += 1) await call();
  expect(leaving.calls).toBe(before);
  leaving.isReady = true;
  const isBack = async () => {
    await call();
    return leaving.calls;
  };
  await expect.poll(isBack, soon).toBeGreaterThan(before);
});

it("is UNAVAILABLE soon when all endpoints are gone, and serves when one is back", async () => {
  const [one, two] = [await serve(), await serve()];
  const { call } = connect([one.url, two.url]);
  await call();
  await Promise.all([one.stop(), two.stop()]);
  for (let made = 0; made < 5; made += 1) {
    const started = performance.now();
    await expect(call()).rejects.toMatchObject({ code: Code.Unavailable });
    expect(performance.now() - started).toBeLessThan(1_000);
  }
  const back = await serve({ port: Number(new URL(two.url).port) });
  expect((await call()).quote?.id).toBe("q");
  expect(back.calls).toBe(1);
});
