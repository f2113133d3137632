import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** The behaviour of a path. */
type Script = {
  readonly say: (socket: Socket) => void;
  /** Responds when the head of the request has arrived, without reading the body. */
  readonly isEarly?: boolean;
  /** Called when the head of the request has arrived. The receiver continues to read. */
  readonly atHead?: (socket: Socket) => void;
};

const response = (head: string, body = ""): string =>
  `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const status = (head: string): Script => ({ say: (socket) => void socket.write(response(head)) });
const text = (all: string): Script => ({ say: (socket) => void socket.end(all) });
/**
 * Builds a script that stops reading. The response announces that the connection closes, because it
 * can't be reused.
 */
const early = (head: string): Script => ({
  isEarly: true,
  say: (socket) => void socket.write(response(`${head}\r\nconnection: close`)),
});

const dripEveryMs = 1_000;
const megabyte = 1_048_576;
/** 10 MiB of zeros, compressed to 10 KB. */
const bomb = gzipSync(Buffer.alloc(10 * megabyte));

function drip(socket: Socket, all: string): void {
  let at = 0;
  const next = () => void socket.write(all.charAt(at++));
  const timer = setInterval(next, dripEveryMs);
  socket.once("close", () => clearInterval(timer));
  next();
}

function saySlowly(socket: Socket, all: string): void {
  const next = (at: number): void => {
    if (at < all.length) socket.write(all.charAt(at), () => setImmediate(next, at + 1));
  };
  socket.setNoDelay(true);
  next(0);
}

const interim = (head: string): string => `HTTP/1.1 ${head}\r\n\r\n`;

/** Writes without end, as fast as the client reads. */
function pour(socket: Socket, first: string, more: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.write(first);
  socket.on("drain", go);
  go();
}

const piece = `4000\r\n${"x".repeat(0x40_00)}\r\n`;
const chunked = (head: string) => `HTTP/1.1 ${head}\r\ntransfer-encoding: chunked\r\n\r\n`;

/** The behaviours of misbehaving receivers, keyed by path. */
export const scripts = {
  "/200": status("200 OK"),
  "/201": status("201 Created"),
  "/204": { say: (socket) => void socket.write("HTTP/1.1 204 No Content\r\n\r\n") },
  "/301": status("301 Moved Permanently\r\nlocation: /200"),
  "/307": status("307 Temporary Redirect\r\nlocation: /200"),
  "/410": status("410 Gone"),
  "/429": status("429 Too Many Requests\r\nretry-after: 1"),
  "/500": status("500 Internal Server Error"),
  "/silent": { say: () => undefined },
  "/reset": { say: (socket) => socket.resetAndDestroy() },
  "/reset-in-head": {
    say: (socket) => void socket.write("HTTP/1.1 20", () => socket.resetAndDestroy()),
  },
  "/reset-in-body": {
    say: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nha");
      // The reset is delayed, because it would drop data that is still queued.
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
  },
  "/drip-head": { say: (socket) => drip(socket, response("200 OK")) },
  "/drip-body": {
    say: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n");
      drip(socket, "y".repeat(9_000));
    },
  },
  "/endless": { say: (socket) => pour(socket, chunked("200 OK"), piece) },
  "/endless-500": { say: (socket) => pour(socket, chunked("500 No"), piece) },
  "/early-hints": {
    say: (socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 2);
      socket.once("close", () => clearInterval(timer));
    },
  },
  "/continue": {
    say: (socket) => void socket.write(interim("100 Continue") + response("200 OK", "ok")),
  },
  "/continue-at-head": {
    atHead: (socket) => void socket.write(interim("100 Continue")),
    say: (socket) => void socket.write(response("200 OK", "ok")),
  },
  "/continue-refused": {
    say: (socket) => void socket.write(interim("100 Continue") + response("500 No")),
  },
  "/continue-with-headers": {
    say: (socket) => {
      const head = "100 Continue\r\ncontent-length: 7\r\nx-a: b";
      socket.write(interim(head) + response("200 OK", "ok"));
    },
  },
  "/continue-by-the-byte": {
    say: (socket) => saySlowly(socket, interim("100 Continue") + response("200 OK", "ok")),
  },
  "/many-interim": {
    say: (socket) => {
      const heads = ["100 Continue", "102 Processing", "103 Early Hints\r\nlink: </a>", "199 X"];
      socket.write([...heads, ...heads].map(interim).join("") + response("200 OK", "ok"));
    },
  },
  "/continue-and-reset": {
    say: (socket) => {
      socket.write(interim("100 Continue"));
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
  },
  "/switches": {
    say: (socket) =>
      void socket.write(interim("101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade")),
  },
  "/switches-to-nothing": {
    say: (socket) => void socket.write(interim("101 Switching Protocols")),
  },
  "/answers-twice": {
    say: (socket) => void socket.write(response("500 No") + response("200 OK")),
  },
  "/bomb": {
    say: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n`);
      socket.write(`content-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
  },
  "/closes-early": text("HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 0\r\n\r\n"),
  "/answers-early": early("200 OK"),
  "/refuses-early": early("500 No"),
  "/000": text("HTTP/1.1 000 Zero\r\ncontent-length: 0\r\n\r\n"),
  "/099": text("HTTP/1.1 099 Below\r\ncontent-length: 0\r\n\r\n"),
  "/600": text("HTTP/1.1 600 Above\r\ncontent-length: 0\r\n\r\n"),
  "/2000": text("HTTP/1.1 2000 Long\r\ncontent-length: 0\r\n\r\n"),
  "/no-http": text("what?\r\n\r\n"),
  "/two-lengths": text("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
  "/long-head": text(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(megabyte)}\r\n\r\n`),
  "/many-headers": text(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(megabyte / 6)}\r\n`),
} as const satisfies Record<string, Script>;

/** The first byte of a TLS connection. */
const tlsHandshake = 0x16;

export type BadPath = keyof typeof scripts;
export const badPaths = Object.keys(scripts) as BadPath[];

export type BadReceiver = {
  readonly url: string;
  /** The complete request bodies, keyed by path. */
  readonly bodies: ReadonlyMap<string, readonly Buffer[]>;
  /**
   * Returns the paths of open connections. For an idle connection, this is the path of its last
   * request.
   */
  readonly open: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** Starts a receiver on raw sockets without TLS. Each path runs its script. */
export async function startBadReceiver(): Promise<BadReceiver> {
  const bodies = new Map<string, Buffer[]>();
  const open = new Map<Socket, string>();
  const server = createServer((socket) => {
    open.set(socket, "");
    socket.once("close", () => open.delete(socket));
    // Senders close connections to receivers like these, which causes errors here.
    socket.on("error", () => socket.destroy());
    let [came, hasHead] = [Buffer.alloc(0), false];
    socket.on("data", (chunk: Buffer) => {
      if (came.length === 0 && chunk[0] === tlsHandshake) {
        socket.end("no TLS here");
        return;
      }
      came = Buffer.concat([came, chunk]);
      const headEnd = came.indexOf("\r\n\r\n") + 4;
      if (headEnd < 4) return;
      const head = came.subarray(0, headEnd).toString("latin1");
      const [, path = ""] = /^POST (\S+)/.exec(head) ?? [];
      open.set(socket, path);
      const script: Script | undefined = scripts[path as BadPath];
      if (script?.isEarly === true) {
        socket.pause();
        script.say(socket);
        return;
      }
      if (!hasHead) script?.atHead?.(socket);
      hasHead = true;
      const [, length = 0] = /content-length: (\d+)/i.exec(head) ?? [];
      if (came.length < headEnd + Number(length)) return;
      bodies.set(path, [...(bodies.get(path) ?? []), came.subarray(headEnd)]);
      [came, hasHead] = [Buffer.alloc(0), false];
      if (script === undefined) socket.destroy();
      else script.say(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    open: () => [...open.values()],
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}
