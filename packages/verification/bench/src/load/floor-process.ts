/**
 * The floors: what bare Koa apps cost that have no services behind them. `/` answers a body of the
 * size in its query, after it has run the MongoDB commands in its query, one after the other, with
 * the driver settings of the services. `/naive/…` and `/grouped/…` are the fixed floors. Forked.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { listenLocally } from "@disburse/harness/local-server.ts";
import Koa from "koa";
import type { Collection } from "mongodb";
import { MongoClient } from "mongodb";
import { serveCalls } from "./child.ts";
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

/** A payout's document has about this size. */
const documentBytes = 1_000;
const documents = 1_000;
const pageLength = 20;

/** A document of the floor that repeats the platform's commands. */
type FloorDocument = {
  _id: string;
  owner: string;
  at: Date;
  body: string;
  touched: number;
};

let made = 0;

function newDocument(): FloorDocument {
  made += 1;
  const body = randomBytes(documentBytes / 2).toString("hex");
  return { _id: `${process.pid}-${made}`, owner: "floor", at: new Date(), body, touched: 0 };
}

const anyId = () => `${process.pid}-${1 + Math.floor(Math.random() * documents)}`;

/** Stores the documents that the commands work on. */
async function storeDocuments(collection: Collection<FloorDocument>): Promise<void> {
  await collection.createIndex({ owner: 1, at: -1 });
  await collection.insertMany(Array.from({ length: documents }, newDocument));
}

/** One command of each kind, as the services send it. */
function commandsOn(
  collection: Collection<FloorDocument>,
): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    find: () => collection.findOne({ _id: anyId() }),
    page: () => collection.find({ owner: "floor" }).sort({ at: -1 }).limit(pageLength).toArray(),
    insert: () => collection.insertOne(newDocument()),
    update: () => collection.updateOne({ _id: anyId() }, { $inc: { touched: 1 } }),
    delete: () => collection.deleteOne({ _id: "none" }),
    findAndModify: () => collection.findOneAndUpdate({ _id: anyId() }, { $inc: { touched: 1 } }),
    aggregate: () => collection.aggregate([{ $match: { _id: anyId() } }]).toArray(),
  };
}

const calls = { serve };
/** What the floors do for the bench. */
export type FloorCalls = typeof calls;
serveCalls(calls);
