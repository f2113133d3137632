import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { engineAddress, freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
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
  // The socket is closed without an event yet: the next command writes to it.
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect(database.db.command({ ping: 1 })).rejects.toThrow(MongoNetworkError);
  await vi.waitFor(() => database.db.command({ ping: 1 }), { timeout: 10_000 });
});

it.each([
  ["one that the driver waits to write to", "driver", true, [expect.any(MongoNetworkError)]],
  ["one that it does not wait for", "driver", false, []],
  ["one that is not the driver's", "other", true, []],
])(
  "emits an error only for a socket that the driver waits for: %s",
  async (_what, whose, waits, errors) => {
    sockets.length = 0;
    const name = freshDatabase("guarded");
    const another = await connectDatabase(mongodbUri(name), name);
    const [ofDriver] = sockets;
    const seen: Error[] = [];
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const socket = whose === "driver" ? ofDriver! : connect(port, "127.0.0.1");
    socket.on("error", (error) => seen.push(error));
    if (waits) socket.on("drain", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
    expect(seen).toEqual(errors);
    await another.close();
    server.close();
  },
);

it("fails a command without a reply", async () => {
  const name = freshDatabase("silence");
  const address = await engineAddress();
  let isSilent = false;
  const proxy = createServer((near) => {
    const far = connect(address);
    far.on("data", (data) => isSilent || near.write(data));
    near.on("data", (data) => far.write(data));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => undefined).on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const silent = await connectDatabase(uri, name, { silenceMs: 300 });
  try {
    await silent.db.command({ ping: 1 });
    isSilent = true;
    await expect(silent.db.command({ ping: 1 })).rejects.toThrow(MongoNetworkError);
  } finally {
    await silent.close();
    proxy.close();
  }
});
