/**
 * The naive program: one Koa process without services, as durable as the platform. Every scenario
 * uses it as its baseline. Forked.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listenLocally } from "@disburse/harness/local-server.ts";
import Koa from "koa";
import { MongoClient } from "mongodb";
import { runChild } from "./child.ts";
import { type NaiveOperation, naiveOperations, prepareNaive } from "./naive/operations.ts";

type Job = { readonly uri: string; readonly database: string; readonly webhookUrl: string };

/** Copied instead of imported, because the baseline must stay the same if the services change. */
const driverSettings = {
  writeConcern: { w: "majority", journal: true },
  readConcern: { level: "majority" },
} as const;

async function serve({ uri, database, webhookUrl }: Job): Promise<string> {
  const client = await new MongoClient(uri, driverSettings).connect();
  const places = { client, database, webhookUrl };
  await prepareNaive(places);
  const app = new Koa();
  app.use(async (ctx) => {
    await text(ctx.req);
    const { id, account, bytes } = ctx.query;
    const operation = ctx.path.slice(1) as NaiveOperation;
    await naiveOperations[operation](places, { id: String(id), account: String(account) });
    ctx.type = "application/json";
    ctx.body = "x".repeat(Number(bytes));
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

await runChild(serve);
