import { fork } from "node:child_process";
import { once } from "node:events";
import { Code } from "@connectrpc/connect";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterEach, expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import { connectService } from "../client.ts";
import { observeClients } from "./observe.ts";

/** A client under load while one of two processes freezes or is killed. */

const identity = testTrust.service("gateway");
/** Test machines are slow at times. */
const soon = { timeout: 20_000 };
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function startProcess(port = "0", busyMs = 0) {
  const child = fork(new URL("test-server.ts", import.meta.url), [port, `${busyMs}`], {
    silent: true,
    env: { ...process.env, ...testTrust.settings("quote") },
  });
  ends.push(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return { child, pid: `${child.pid}`, url: line.toString().trim() };
}

function connect(urls: readonly string[]) {
  const metrics = createMetrics("test");
  const observe = observeClients(metrics, silentLog);
  const client = connectService(QuoteService, urls, { identity, observe });
  ends.push(client.close);
  return { rpc: client.rpc, text: metrics.text };
}

/** Calls at a steady pace until it is stopped; counts the answers of each process. */
function load({ rpc }: ReturnType<typeof connect>) {
  const answered: Record<string, number> = {};
  const failed: unknown[] = [];
  const running: Promise<void>[] = [];
  const call = async () => {
    try {
      const id = (await rpc.getQuote({ quoteId: "q" })).quote?.id ?? "";
      answered[id] = (answered[id] ?? 0) + 1;
    } catch (error) {
      failed.push(error);
    }
  };
  const timer = setInterval(() => running.push(call(), call()), 10);
  ends.push(() => clearInterval(timer));
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(running);
    return running.length;
  };
  return { answered, failed, stop };
}

it("continues without a frozen process, and with it again afterwards", async () => {
  const [frozen, other] = await Promise.all([startProcess(), startProcess()]);
  const client = connect([frozen.url, other.url]);
  const { answered, failed, stop } = load(client);
  await expect.poll(() => answered[frozen.pid], soon).toBeGreaterThan(50);
  frozen.child.kill("SIGSTOP");
  await expect.poll(client.text, soon).toContain('ejected{peer="quote",service="test"} 1');
  const before = answered[other.pid] ?? 0;
  await expect.poll(() => answered[other.pid], soon).toBeGreaterThan(before + 100);
  frozen.child.kill("SIGCONT");
  const [thawed, since] = [frozen.pid, answered[frozen.pid] ?? 0];
  await expect.poll(() => answered[thawed], soon).toBeGreaterThan(since + 50);
  const made = await stop();
  expect(failed.length).toBeLessThan(made / 100);
  expect(await client.text()).toMatch(/retries_total\{peer="quote",reason="hung".*\} [1-9]/);
}, 60_000);

it("fails no read when a process is killed, and calls its successor", async () => {
  const [killed, other] = await Promise.all([startProcess(), startProcess()]);
  const client = connect([killed.url, other.url]);
  const { answered, failed, stop } = load(client);
  await expect.poll(() => answered[killed.pid], soon).toBeGreaterThan(50);
  killed.child.kill("SIGKILL");
  const before = answered[other.pid] ?? 0;
  await expect.poll(() => answered[other.pid], soon).toBeGreaterThan(before + 50);
  const successor = await startProcess(new URL(killed.url).port);
  await expect.poll(() => answered[successor.pid], soon).toBeGreaterThan(10);
  await stop();
  expect(failed).toEqual([]);
}, 60_000);

it.each([
  ["", 0],
  [", though it takes 10 ms to read each", 10],
])(
  "serves no call after a freeze that its caller has taken elsewhere%s",
  async (_how, busyMs) => {
    const { child, url } = await startProcess("0", busyMs);
    const { rpc } = connect([url]);
    const leftServed = async () => (await rpc.getQuote({ quoteId: "q" })).quote?.merchantId;
    // These connections exist already: one of them has a waiting request.
    await Promise.all(Array.from({ length: 20 }, leftServed));
    child.kill("SIGSTOP");
    const given = Array.from({ length: 20 }, () =>
      rpc.getQuote({ quoteId: "left" }, { timeoutMs: 700 }),
    );
    for (const outcome of await Promise.allSettled(given)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: Code.DeadlineExceeded },
      });
    }
    child.kill("SIGCONT");
    expect(await leftServed()).toBe("0");
    // A waiting caller is served.
    child.kill("SIGSTOP");
    const waiting = rpc.getQuote({ quoteId: "left" });
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill("SIGCONT");
    expect((await waiting).quote?.merchantId).toBe("1");
  },
  60_000,
);
