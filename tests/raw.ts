import { once } from "node:events";
import { createConnection, type Socket } from "node:net";

/** Longer than the gateway's timeout for slow headers or a slow body. */
const patienceMs = 20_000;

export async function connect(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = createConnection(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** Writes bytes on a new connection. Returns everything received until the other side closes it. */
export async function exchange(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const socket = await connect(baseUrl);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.setTimeout(patienceMs, () => socket.destroy(new Error("nothing came back")));
  // The other side may close while we write. Everything received until then is the answer.
  socket.on("error", () => socket.destroy());
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

/** Returns a connection's last final response. */
export function lastAnswer(text: string) {
  const answer = text.slice(text.lastIndexOf("HTTP/1.1 "));
  const end = answer.indexOf("\r\n\r\n");
  const head = answer.slice(0, end);
  const body = answer.slice(end + "\r\n\r\n".length);
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
}
