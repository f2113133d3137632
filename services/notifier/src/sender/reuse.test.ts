import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  TLSSocket,
} from "node:tls";
import { silentLog } from "@disburse/chassis/log.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { createSender } from "./sender.ts";
import { testCertificates, testKey } from "./test-certificates.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/** A connection's reaction to one request. */
type Turn = (socket: Socket) => void;
const answers: Turn = (socket) => void socket.write(ok);
/** Node can't reset a TLS connection, so this closes it without TLS's own end. */
const reset: Turn = (socket) =>
  void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());
const turns = {
  resets: reset,
  closes: (socket) => socket.end(),
  "resets in the head": (socket) => {
    socket.write("HTTP/1.1 20", () => setTimeout(() => reset(socket), 20));
  },
  "resets after 100": (socket) => {
    socket.write("HTTP/1.1 100 Continue\r\n\r\n", () => setTimeout(() => reset(socket), 20));
  },
  "answers twice, late": (socket) => {
    socket.write(ok);
    setTimeout(() => socket.write(ok), 5);
  },
  refuses: (socket) => void socket.write(ok.replace("200 OK", "500 No")),
} satisfies Record<string, Turn>;

beforeAll(() => {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, testCertificates.trusted]);
  return () => setDefaultCACertificates(before);
});

/** The requests of each connection, by their `webhook-id`. */
type Served = string[][];

/** Posts requests in sequence to a receiver whose connections react with these turns. */
async function postAll(
  protocol: string,
  connections: readonly (readonly Turn[])[],
  posts: number,
  gapMs = 10,
) {
  const served: Served = [];
  const serve = (socket: Socket): void => {
    const requests: string[] = [];
    const left = [...(connections[served.push(requests) - 1] ?? [])];
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      const [, id] = /webhook-id: (\S+)/.exec(String(chunk)) ?? [];
      if (id === undefined) return;
      requests.push(id);
      left.shift()?.(socket);
    });
  };
  const tls = { key: testKey, cert: testCertificates.trusted };
  const server: Server = protocol === "https" ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sender = createSender({ policy: "sandbox", log: silentLog, timeoutMs: 2_000 });
  const url = `${protocol}://localhost:${(server.address() as AddressInfo).port}/`;
  const outcomes: string[] = [];
  for (let at = 1; at <= posts; at += 1) {
    const headers = { "webhook-id": `evt_${at}` };
    const outcome = await sender.post({ url, headers, body: Buffer.from("{}") });
    outcomes.push(outcome.kind === "answered" ? String(outcome.statusCode) : outcome.error);
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  await sender.close();
  server.close();
  return { outcomes, served };
}

describe.each(["http", "https"])("a connection by %s that is used again", (protocol) => {
  it.each([
    ["resets", turns.resets],
    ["closes", turns.closes],
  ])("and %s before a byte costs no attempt", async (_, turn) => {
    const { outcomes, served } = await postAll(protocol, [[answers, turn], [answers]], 2);
    expect(outcomes).toEqual(["200", "200"]);
    expect(served).toEqual([["evt_1", "evt_2"], ["evt_2"]]);
  });

  it("and resets is followed by one fresh connection, not by more", async () => {
    const lost = [answers, turns.resets];
    const { outcomes, served } = await postAll(protocol, [lost, [turns.resets], [answers]], 3);
    expect(outcomes).toEqual(["200", "connection_reset", "200"]);
    expect(served).toEqual([["evt_1", "evt_2"], ["evt_2"], ["evt_3"]]);
  });

  it.each([
    ["resets in the head", turns["resets in the head"]],
    ["resets after 100", turns["resets after 100"]],
  ])("and %s has answered: the attempt has failed", async (_, turn) => {
    const { outcomes, served } = await postAll(protocol, [[answers, turn], [answers]], 2);
    expect(outcomes).toEqual(["200", "connection_reset"]);
    expect(served).toEqual([["evt_1", "evt_2"]]);
  });

  it("does not use an unrequested response for the next request", async () => {
    const twice = [turns["answers twice, late"], turns.refuses];
    const { outcomes } = await postAll(protocol, [twice, [turns.refuses]], 2, 500);
    expect(outcomes).toEqual(["200", "500"]);
  });
});

it("fails an attempt whose new connection is reset", async () => {
  const { outcomes, served } = await postAll("http", [[turns.resets], [answers]], 2);
  expect(outcomes).toEqual(["connection_reset", "200"]);
  expect(served).toEqual([["evt_1"], ["evt_2"]]);
});
