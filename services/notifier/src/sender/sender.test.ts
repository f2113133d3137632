import { type AddressInfo, createServer, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import { silentLog } from "@disburse/chassis/log.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { createSender, type Sender } from "./sender.ts";

const body = new TextEncoder().encode('{"é":1.10}');
const answered = (statusCode: number, text: string) => ({
  kind: "answered",
  statusCode,
  body: text,
});
const failed = (error: string) => ({ kind: "failed", error });

let receiver: Receiver;
let sender: Sender;
/** A sender with a short timeout, so that tests of time need not wait 15 s. */
let hasty: Sender;

beforeAll(async () => {
  receiver = await startReceiver();
  sender = createSender({ policy: "sandbox", log: silentLog });
  hasty = createSender({ policy: "sandbox", log: silentLog, timeoutMs: 150 });
  return async () => {
    await Promise.all([sender.close(), hasty.close(), receiver.close()]);
  };
});

const send = (by: Sender, url = receiver.url) => by.post({ url, headers: { "x-a": "b" }, body });

/** A server that sends invalid HTTP. */
async function startRaw(text: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe("sender", () => {
  it("posts the bytes as they are, as JSON, uncompressed, to path and query", async () => {
    receiver.answer({ status: 200, body: "ok" });
    expect(await send(sender, `${receiver.url}/a%20b?c=d`)).toEqual(answered(200, "ok"));
    const call = receiver.calls.at(-1);
    expect(call?.body.equals(body)).toBe(true);
    expect(call).toMatchObject({
      method: "POST",
      path: "/a%20b?c=d",
      headers: {
        "content-type": "application/json",
        "content-length": String(body.length),
        "accept-encoding": "identity",
        "x-a": "b",
      },
    });
  });

  it("follows no redirect", async () => {
    const calls = receiver.calls.length;
    receiver.answer({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
    expect(await send(sender)).toEqual(answered(307, ""));
    expect(receiver.calls).toHaveLength(calls + 1);
  });

  it("keeps at most 1 KiB of a response unchanged, cut between characters", async () => {
    receiver.answer({ status: 500, body: "é".repeat(2_000) });
    expect(await send(sender)).toEqual(answered(500, "é".repeat(512)));
    receiver.answer({ status: 500, body: `a${"é".repeat(2_000)}` });
    expect(await send(sender)).toEqual(answered(500, `a${"é".repeat(511)}`));
    const zipped = gzipSync("bomb");
    receiver.answer((response) => response.setHeader("content-encoding", "gzip").end(zipped));
    expect(await send(sender)).toEqual(answered(200, new TextDecoder().decode(zipped)));
  });

  it("stops reading a body that does not end", async () => {
    receiver.answer((response) => {
      const timer = setInterval(() => response.write("x".repeat(4_096)), 1);
      response.on("close", () => clearInterval(timer));
    });
    expect(await send(sender)).toEqual(answered(200, "x".repeat(1_024)));
    await expect.poll(() => receiver.open()).toBe(0);
  });

  it("uses the status when the body drips past the time limit, and hangs up", async () => {
    receiver.answer((response) => void response.writeHead(200).write("he"));
    expect(await send(hasty)).toEqual(answered(200, "he"));
    await expect.poll(() => receiver.open()).toBe(0);
  });

  it("gives up without a response in time", async () => {
    receiver.answer("hang");
    expect(await send(hasty)).toEqual(failed("timeout"));
    await expect.poll(() => receiver.open()).toBe(0);
  });

  it("reports a broken connection, a refused one, and invalid HTTP", async () => {
    receiver.answer("reset");
    expect(await send(sender)).toEqual(failed("connection_reset"));
    const raw = await startRaw("what?\r\n\r\n");
    expect(await send(sender, raw.url)).toEqual(failed("invalid_answer"));
    raw.server.close();
    const long = await startRaw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
    expect(await send(sender, long.url)).toEqual(failed("invalid_answer"));
    await new Promise((resolve) => long.server.close(resolve));
    expect(await send(sender, long.url)).toEqual(failed("connection_refused"));
  });

  it("reports failed TLS", async () => {
    expect(await send(sender, receiver.url.replace("http:", "https:"))).toEqual(
      failed("tls_failed"),
    );
  });
});
