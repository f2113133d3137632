/**
 * The floors: what bare Koa apps cost that have no services behind them. `/` answers a body of the
 * size in its query, after it has run the MongoDB commands in its query, one after the other, with
 * the driver settings of the services. `/naive/…` and `/grouped/…` are the fixed floors. Forked.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { listenLocally } from "@disburse/harness/local-server.ts";
import Koa from "koa";
import { MongoClient } from "mongodb";
import { serveCalls } from "./child.ts";
import { commandsOn, type FloorDocument, storeDocuments } from "./floors/commands.ts";
import { type FloorOperation, floorOperations, prepareFloor } from "./floors/operations.ts";
import { groupedStore, naiveStore } from "./floors/stores.ts";

/** Where a floor's documents are, and where it posts its webhooks. */
type Places = { readonly uri: string; readonly database: string; readonly webhookUrl: string };

/** As durable as the services, whatever becomes of their own settings: a fixed floor stays. */
const driverSettings = {
  writeConcern: { w: "majority", journal: true },
  readConcern: { level: "majority" },
} as const;

async function repeatedCommands({ uri, database }: Places) {
  const { db } = await connectDatabase(uri, database);
  const collection = db.collection<FloorDocument>("documents");
  await storeDocuments(collection);
  const commands = commandsOn(collection);
  return async (names: readonly string[]) => {
    for (const name of names) await commands[name]?.();
  };
}

async function fixedFloors({ uri, database, webhookUrl }: Places) {
  const client = await new MongoClient(uri, driverSettings).connect();
  await prepareFloor(client, database);
  const shared = { client, database, webhookUrl };
  const kinds = {
    naive: { ...shared, store: naiveStore(client, database) },
    grouped: { ...shared, store: groupedStore(client, database) },
  };
  return async (path: string, id: string, account: string) => {
    const [, kind, operation] = path.split("/");
    const deps = kinds[kind as keyof typeof kinds];
    await floorOperations[operation as FloorOperation](deps, { id, account });
  };
}

/** Starts serving on documents in this database. */
async function serve(places: Places) {
  const repeat = await repeatedCommands(places);
  const operate = await fixedFloors(places);
  const app = new Koa();
  app.use(async (ctx) => {
    await text(ctx.req);
    const { commands = "", id, account, bytes } = ctx.query;
    if (ctx.path === "/") await repeat(String(commands).split(","));
    else await operate(ctx.path, String(id), String(account));
    ctx.type = "application/json";
    ctx.body = "x".repeat(Number(bytes));
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  return { url: `http://127.0.0.1:${await listenLocally(server)}` };
}

const calls = { serve };
/** What the floors do for the bench. */
export type FloorCalls = typeof calls;
serveCalls(calls);
