/**
 * The floor: what a Koa app costs that has no services behind it. It answers a body of the size in
 * its query, after it has run the MongoDB commands in its query, one after the other, with the
 * driver settings of the services. Forked.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { listenLocally } from "@disburse/harness/local-server.ts";
import Koa from "koa";
import type { Collection } from "mongodb";
import { serveCalls } from "./child.ts";

/** A payout's document has about this size. */
const documentBytes = 1_000;
const documents = 1_000;
const pageLength = 20;

type FloorDocument = { _id: string; owner: string; at: Date; body: string; touched: number };

let made = 0;

function newDocument(): FloorDocument {
  made += 1;
  const body = randomBytes(documentBytes / 2).toString("hex");
  return { _id: `${process.pid}-${made}`, owner: "floor", at: new Date(), body, touched: 0 };
}

const anyId = () => `${process.pid}-${1 + Math.floor(Math.random() * documents)}`;

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

/** Starts serving on documents in this database. */
async function serve({ uri, database }: { uri: string; database: string }) {
  const { db } = await connectDatabase(uri, database);
  const collection = db.collection<FloorDocument>("documents");
  await collection.createIndex({ owner: 1, at: -1 });
  await collection.insertMany(Array.from({ length: documents }, newDocument));
  const commands = commandsOn(collection);
  const app = new Koa();
  app.use(async (ctx) => {
    await text(ctx.req);
    for (const name of String(ctx.query.commands ?? "").split(",")) await commands[name]?.();
    ctx.type = "application/json";
    ctx.body = "x".repeat(Number(ctx.query.bytes));
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  return { url: `http://127.0.0.1:${await listenLocally(server)}` };
}

const calls = { serve };
/** What the floor does for the bench. */
export type FloorCalls = typeof calls;
serveCalls(calls);
