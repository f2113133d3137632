import { type AddressInfo, createServer, type Socket } from "node:net";

/** A method of the client, on its `nth` connection, counted from 1. */
export type ClientMethod = {
  readonly method: string;
  readonly channel: number;
  readonly nth: number;
};

/** The broker's side of one connection. */
export type Side = {
  readonly socket: Socket;
  /** Writes frames in one piece, so that the client reads them together. */
  send(...frames: readonly Buffer[]): void;
};

/** Replies instead of the broker. If it returns `false`, the usual reply is sent. */
export type Answer = (received: ClientMethod, side: Side, usual: Buffer) => unknown;

/** The class id and method id of each method, by its name in the specification. */
const methods = {
  "connection.start": [10, 10],
  "connection.start-ok": [10, 11],
  "connection.tune": [10, 30],
  "connection.tune-ok": [10, 31],
  "connection.open": [10, 40],
  "connection.open-ok": [10, 41],
  "connection.close": [10, 50],
  "connection.close-ok": [10, 51],
  "connection.blocked": [10, 60],
  "connection.unblocked": [10, 61],
  "channel.open": [20, 10],
  "channel.open-ok": [20, 11],
  "channel.close": [20, 40],
  "channel.close-ok": [20, 41],
  "exchange.declare": [40, 10],
  "exchange.declare-ok": [40, 11],
  "queue.declare": [50, 10],
  "queue.declare-ok": [50, 11],
  "queue.bind": [50, 20],
  "queue.bind-ok": [50, 21],
  "basic.qos": [60, 10],
  "basic.qos-ok": [60, 11],
  "basic.consume": [60, 20],
  "basic.consume-ok": [60, 21],
  "basic.publish": [60, 40],
  "basic.deliver": [60, 60],
  "basic.ack": [60, 80],
  "basic.cancel": [60, 30],
  "basic.cancel-ok": [60, 31],
  "confirm.select": [85, 10],
  "confirm.select-ok": [85, 11],
} as const satisfies Record<string, readonly [number, number]>;

const names = new Map(Object.entries(methods).map(([name, [of, id]]) => [`${of}.${id}`, name]));

const short = (text: string) => Buffer.concat([u8(text.length), Buffer.from(text)]);
const long = (text: string) => Buffer.concat([u32(text.length), Buffer.from(text)]);
const u8 = (value: number) => Buffer.from([value]);
const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 65_535)]);

const nothing = Buffer.alloc(0);

function frame(type: number, channel: number, payload: Buffer): Buffer {
  return Buffer.concat([u8(type), u16(channel), u32(payload.length), payload, u8(0xce)]);
}

function methodFrame(
  channel: number,
  method: keyof typeof methods,
  args: Buffer = nothing,
): Buffer {
  const [of, id] = methods[method];
  return frame(1, channel, Buffer.concat([u16(of), u16(id), args]));
}

const frameMax = 131_072;
/** Version 0-9, no properties, one mechanism, one locale. */
const start = Buffer.concat([u8(0), u8(9), u32(0), long("PLAIN"), long("en_US")]);
/** Allows any number of channels and requests no heartbeat. */
const tune = Buffer.concat([u16(0), u32(frameMax), u16(0)]);

/** The usual replies. Methods that are not listed get none. */
const usualArgs: Readonly<Record<string, readonly [keyof typeof methods, Buffer]>> = {
  "connection.start-ok": ["connection.tune", tune],
  "connection.open": ["connection.open-ok", short("")],
  "connection.close": ["connection.close-ok", nothing],
  "channel.open": ["channel.open-ok", long("")],
  "channel.close": ["channel.close-ok", nothing],
  "confirm.select": ["confirm.select-ok", nothing],
  "exchange.declare": ["exchange.declare-ok", nothing],
  "queue.declare": ["queue.declare-ok", Buffer.concat([short("queue"), u32(0), u32(0)])],
  "queue.bind": ["queue.bind-ok", nothing],
  "basic.qos": ["basic.qos-ok", nothing],
  "basic.consume": ["basic.consume-ok", short("tag")],
  "basic.cancel": ["basic.cancel-ok", short("tag")],
};

/** The reply of a broker that shuts down. The client should reconnect. */
export const connectionForced = methodFrame(
  0,
  "connection.close",
  Buffer.concat([u16(320), short("CONNECTION_FORCED"), u16(0), u16(0)]),
);

/** The notice of a broker that is out of memory. The broker recovers later. */
export const blocked = methodFrame(0, "connection.blocked", short("memory"));
export const unblocked = methodFrame(0, "connection.unblocked");

/** Confirms the messages published on a channel, up to the `count`th. */
export function confirmed(channel: number, count: number): Buffer {
  return methodFrame(channel, "basic.ack", Buffer.concat([u32(0), u32(count), u8(1)]));
}

/** A channel's first message, without properties or body. The channel has only one consumer. */
export function delivered(channel: number): Buffer {
  const to = Buffer.concat([short("tag"), u32(0), u32(1), u8(0), short("events"), short("key")]);
  const header = Buffer.concat([u16(60), u16(0), u32(0), u32(0), u16(0)]);
  return Buffer.concat([methodFrame(channel, "basic.deliver", to), frame(2, channel, header)]);
}

/**
 * Starts a scripted broker. It stores no messages, and confirms a message only if the script says
 * so.
 */
export async function startTestBroker(answer: Answer = () => false) {
  const sockets = new Set<Socket>();
  let count = 0;
  let published = 0;
  const server = createServer((socket) => {
    count += 1;
    const nth = count;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    const side: Side = { socket, send: (...frames) => void socket.write(Buffer.concat(frames)) };
    let rest: Buffer = nothing;
    let greeted = false;
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      // The first eight bytes from a client are the protocol header.
      if (!greeted && rest.length >= 8) {
        greeted = true;
        rest = rest.subarray(8);
        receive({ method: "protocol", channel: 0, nth }, methodFrame(0, "connection.start", start));
      }
      while (greeted && rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(3)) {
        const [type, channel, size] = [rest[0], rest.readUInt16BE(1), rest.readUInt32BE(3)];
        const name = names.get(`${rest.readUInt16BE(7)}.${rest.readUInt16BE(9)}`);
        rest = rest.subarray(8 + size);
        if (type !== 1 || name === undefined) continue;
        if (name === "basic.publish") published += 1;
        const usual = usualArgs[name];
        const answerFrame = usual === undefined ? nothing : methodFrame(channel, ...usual);
        receive({ method: name, channel, nth }, answerFrame);
      }
    });
    const receive = (received: ClientMethod, usual: Buffer) => {
      if (answer(received, side, usual) === false) side.send(usual);
    };
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    /** The number of connections made so far. */
    connections: () => count,
    open: () => sockets.size,
    published: () => published,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
