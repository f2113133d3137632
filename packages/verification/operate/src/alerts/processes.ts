import { setTimeout as pause } from "node:timers/promises";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { type Breakage, keepDoing } from "./breakage.ts";
import type { World } from "./world.ts";

/** Suspends a process repeatedly, for most of the time. */
function stutter({ platform }: World, service: ServiceName, stoppedMs: number) {
  const pid = platform.pid(service);
  return keepDoing(async () => {
    process.kill(pid, "SIGSTOP");
    await pause(stoppedMs);
    process.kill(pid, "SIGCONT");
  }, 150);
}

/** Requests quotes continuously, ignoring the answers. */
function askForQuotes({ gateway, transfer }: World) {
  const headers = {
    authorization: `Bearer ${gateway.apiKey}`,
    "content-type": "application/json",
  };
  return keepDoing(async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const response = await fetch(`${gateway.baseUrl}/api/v1/transfer/rfq`, {
      method: "POST",
      headers: { ...headers, ...key },
      body: JSON.stringify(transfer),
      signal: AbortSignal.timeout(12_000),
    });
    await response.text();
  }, 50);
}

/** Drops an index that a loop requires. */
async function withoutIndex(world: World) {
  const payouts = world.db("payout").collection("payouts");
  await payouts.dropIndex("outbox");
  return () => payouts.createIndex({ "outbox.at": 1 }, { name: "outbox", sparse: true });
}

/** Node's debugger listens here after SIGUSR1. */
const debuggerUrl = "http://127.0.0.1:9229/json";
const debuggerOpensMs = 1_000;

/** Causes an unhandled rejection in a process through its debugger. */
async function rejectIn(pid: number): Promise<void> {
  process.kill(pid, "SIGUSR1");
  await pause(debuggerOpensMs);
  const [target] = (await (await fetch(debuggerUrl)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  const expression = "void Promise.reject(new Error('left behind'))";
  const message = { id: 1, method: "Runtime.evaluate", params: { expression } };
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(JSON.stringify(message));
  await new Promise((resolve) => socket.addEventListener("message", resolve));
  socket.close();
}

export const processBreakages: readonly Breakage[] = [
  {
    alert: "DisburseServiceDown",
    break: async ({ platform }) => {
      await platform.kill("quote");
      return () => platform.start("quote");
    },
  },
  {
    alert: "DisburseUnhandledRejections",
    break: async ({ platform }) => keepDoing(() => rejectIn(platform.pid("quote")), 2_000),
  },
  {
    alert: "DisburseNotReady",
    companions: [
      // The database of every process fails.
      ...["DisburseDatabaseUnreachable", "DisburseServiceDown", "DisburseLoopFailing"],
      "DisburseDatabaseSlow",
    ],
    break: async ({ backends }) => {
      backends.engine.proxy.set("disconnected");
      return () => backends.engine.proxy.set("normal");
    },
  },
  {
    alert: "DisburseEventLoopLag",
    companions: ["DisburseServiceDown", "DisburseDatabaseSlow"],
    break: async (world) => stutter(world, "compliance", 750),
  },
  { alert: "DisburseLoopFailing", break: withoutIndex },
  {
    alert: "DisburseErrorsHigh",
    companions: ["DisburseServiceDown"],
    break: async (world) => {
      await world.platform.kill("quote");
      const end = askForQuotes(world);
      return async () => {
        await end();
        await world.platform.start("quote");
      };
    },
  },
  {
    alert: "DisburseGatewaySlow",
    companions: [
      // A process that barely runs causes several alerts.
      ...["DisburseServiceDown", "DisburseEventLoopLag", "DisburseErrorsHigh"],
      "DisburseDatabaseSlow",
    ],
    break: async (world) => {
      const ends = [askForQuotes(world), stutter(world, "quote", 3_500)];
      return async () => {
        for (const end of ends) await end();
      };
    },
  },
  {
    alert: "DisburseRpcErrors",
    break: async ({ platform, db, merchant: { merchantId } }) => {
      const payouts = db("payout").collection<{ _id: string; merchant_id: string }>("payouts");
      const payoutId = "po_unreadable";
      await payouts.insertOne({ _id: payoutId, merchant_id: merchantId });
      const end = keepDoing(() => platform.clients.payout.getPayout({ merchantId, payoutId }), 100);
      return async () => {
        await end();
        await payouts.deleteOne({ _id: payoutId });
      };
    },
  },
];
