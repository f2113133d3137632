import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { BSON } from "mongodb";
import { engineAddress } from "./engine.ts";

/** The codes of MongoDB's wire protocol that the front reads and writes. */
const messageCode = 2_013;
const headerBytes = 16;
/** After the header: flags of four bytes, and the kind of the section. */
const bodyStart = headerBytes + 4 + 1;
const unauthorized = { code: 13, codeName: "Unauthorized" };

const user = "disburse";

/**
 * Starts a front of the shared engine that requires a user with a password, as live mode does. The
 * embedded engine has no users.
 */
export async function startEngineFront() {
  const password = randomBytes(16).toString("hex");
  const target = await engineAddress();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const engine = connect(target);
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.once("error", () => socket.destroy());
      socket.once("close", () => {
        sockets.delete(socket);
        client.destroy();
        engine.destroy();
      });
    }
    engine.pipe(client);
    admit(client, engine, Buffer.from(`\0${user}\0${password}`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    uri: (database: string): string =>
      `mongodb://${user}:${password}@127.0.0.1:${port}/${database}` +
      "?directConnection=true&authMechanism=PLAIN&authSource=%24external",
    stop: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Passes a client's messages on. Until it has shown the password, it may only say hello. */
function admit(client: Socket, engine: Socket, wanted: Buffer): void {
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= headerBytes && received.length >= received.readInt32LE(0)) {
      const message = received.subarray(0, received.readInt32LE(0));
      received = received.subarray(message.length);
      const { isAdmitted, reply } = judge(message, wanted);
      if (reply === undefined) engine.write(message);
      else client.write(replyTo(message, reply));
      if (!isAdmitted) continue;
      client.off("data", onData);
      engine.write(received);
      client.pipe(engine);
      return;
    }
  };
  client.on("data", onData);
}

/** Returns the front's own reply. Without one, the engine replies. */
function judge(message: Buffer, wanted: Buffer): { isAdmitted?: boolean; reply?: object } {
  // Only a hello has another code.
  if (message.readInt32LE(12) !== messageCode) return {};
  const command = BSON.deserialize(message.subarray(bodyStart), {
    allowObjectSmallerThanBufferSize: true,
  });
  const [name = ""] = Object.keys(command);
  if (/^(?:hello|ismaster)$/i.test(name)) return {};
  if (name !== "saslStart") return { reply: { ok: 0, errmsg: "requires a user", ...unauthorized } };
  const { buffer } = command.payload as BSON.Binary;
  if (!wanted.equals(buffer)) return { reply: { ok: 0, errmsg: "wrong password", code: 18 } };
  return { isAdmitted: true, reply: { ok: 1, conversationId: 1, done: true, payload: "" } };
}

function replyTo(message: Buffer, reply: object): Buffer {
  const body = BSON.serialize(reply);
  const header = Buffer.alloc(bodyStart);
  header.writeInt32LE(bodyStart + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(messageCode, 12);
  return Buffer.concat([header, body]);
}
