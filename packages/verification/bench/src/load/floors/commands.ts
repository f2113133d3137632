import { randomBytes } from "node:crypto";
import type { Collection } from "mongodb";

/** A payout's document has about this size. */
const documentBytes = 1_000;
const documents = 1_000;
const pageLength = 20;

/** A document of the floor that repeats the platform's commands. */
export type FloorDocument = {
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
export async function storeDocuments(collection: Collection<FloorDocument>): Promise<void> {
  await collection.createIndex({ owner: 1, at: -1 });
  await collection.insertMany(Array.from({ length: documents }, newDocument));
}

/** One command of each kind, as the services send it. */
export function commandsOn(
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
