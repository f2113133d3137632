import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { MongoNetworkError } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectDatabase, type Database } from "./database.ts";

const sockets: Socket[] = [];
const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
let database: Database;

beforeAll(async () => {
  subscribe("net.client.socket", note);
  const name = freshDatabase("sockets");
  database = await connectDatabase(mongodbUri(name), name);
  await database.db.command({ ping: 1 });
});
afterAll(async () => {
  unsubscribe("net.client.socket", note);
  await database?.close();
});

it("fails a command whose connection closes under it, and continues on another connection", async () => {
  expect(sockets.length).toBeGreaterThan(0);
  // Closed without an event yet: the next command is written to a closed socket.
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect(database.db.command({ ping: 1 })).rejects.toThrow(MongoNetworkError);
  await vi.waitFor(() => database.db.command({ ping: 1 }), { timeout: 10_000 });
});
