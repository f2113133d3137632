import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { silentLog } from "@disburse/chassis/log.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnector, type OpenSocket, type SocketTarget } from "./connector.ts";
import { type AddressPolicy, networks } from "./rules/address.ts";
import { urlProblem } from "./rules/url.ts";
import { createSender } from "./sender.ts";
import { guardedUrls, ownNetworks, type Verdict, zone } from "./test-guarded-urls.ts";

let receiver: Receiver;
let tlsServer: Server;
let plainPort = 0;
let tlsPort = 0;
let opened: SocketTarget[] = [];
let queried: string[] = [];
let serverNames: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  plainPort = Number(new URL(receiver.url).port);
  tlsServer = createTlsServer({
    SNICallback: (name, done) => {
      serverNames.push(name);
      done(new Error("no certificate"));
    },
  });
  tlsServer.on("tlsClientError", (_error, socket) => socket.destroy());
  tlsPort = await listening(tlsServer);
  return async () => {
    tlsServer.close();
    await receiver.close();
  };
});
beforeEach(() => {
  [opened, queried, serverNames] = [[], [], []];
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Connects to a server of the test, and checks the address that the sender requested. */
const openTo =
  (port: () => number): OpenSocket =>
  (target) => {
    opened.push(target);
    const socket = connect(port(), "127.0.0.1");
    Object.defineProperty(socket, "remoteAddress", { value: target.addresses[0]?.address });
    return socket;
  };

function senderOf(policy: AddressPolicy, openSocket: OpenSocket) {
  const resolve = async (host: string) => {
    queried.push(host);
    const addresses = zone[host.replace(/\.$/, "")];
    if (addresses === undefined) throw new Error("no such name");
    return addresses;
  };
  return createSender({ policy, ownNetworks, log: silentLog, resolve, openSocket });
}

async function sent(policy: AddressPolicy, url: string) {
  const openSocket = openTo(() => (url.toLowerCase().startsWith("https:") ? tlsPort : plainPort));
  const sender = senderOf(policy, openSocket);
  receiver.answer({ status: 200, headers: { connection: "close" } });
  const calls = receiver.calls.length;
  const outcome = await sender.post({ url, headers: {}, body: Buffer.from("{}") });
  await sender.close();
  return { outcome, hosts: receiver.calls.slice(calls).map(({ headers }) => headers.host) };
}

async function expectVerdict(url: string, policy: AddressPolicy, verdict: Verdict) {
  const problem = urlProblem(url, { policy, ownNetworks });
  expect(problem === undefined ? "well" : "text").toBe(verdict === "text" ? "text" : "well");
  const { outcome, hosts } = await sent(policy, url);
  if (verdict === "sent") {
    expect(opened).toHaveLength(1);
    return { outcome, hosts };
  }
  const error = verdict === "no address" ? "dns_failed" : "address_refused";
  expect(outcome).toEqual({ kind: "failed", error });
  expect(opened).toEqual([]);
  expect(queried).toHaveLength(verdict === "text" || isLiteral(url) ? 0 : 1);
  return { outcome, hosts };
}

const isLiteral = (url: string): boolean =>
  URL.canParse(url) && /^(\[|[\d.]+$)/.test(new URL(url).hostname);

/** Returns why the connector alone, without the check of the URL's text, refuses to connect. */
function connectorRefusal(policy: AddressPolicy, url: string): Promise<string | undefined> {
  const openSocket = openTo(() => plainPort);
  const connector = createConnector({ policy, ownNetworks, resolve: async () => [], openSocket });
  const { protocol, hostname, port } = new URL(url);
  const target = { protocol, hostname: hostname.replace(/[[\]]/g, ""), port };
  return new Promise((resolve) => {
    connector(target, (error, socket) => {
      socket?.destroy();
      resolve(error === null ? undefined : (error as { code?: string }).code);
    });
  });
}

describe("a webhook to an address outside the public internet", () => {
  it.each(guardedUrls)(
    "%s opens no connection: %s live, %s in the sandbox",
    async (url, live, box) => {
      await expectVerdict(url, "public", live);
      [opened, queried] = [[], []];
      await expectVerdict(url, "sandbox", box);
    },
  );

  const literals = guardedUrls.filter(([url]) => isLiteral(url) && !/[@#\s]|:\d+\//.test(url));
  it.each(literals)("%s is refused by its address too", async (url, live, box) => {
    expect(live).toBe("text");
    expect(await connectorRefusal("public", url)).toBe("ADDRESS_REFUSED");
    if (box === "text") expect(await connectorRefusal("sandbox", url)).toBe("ADDRESS_REFUSED");
    expect(opened).toEqual([]);
  });
});

describe("a webhook that may go", () => {
  const [four, six] = ["8.8.4.4", "2606:4700::1111"];
  it.each([
    ["https://hooks.example.com/", [four], 443, "hooks.example.com"],
    ["https://HOOKS.example.com:8443/a", [four], 8443, "hooks.example.com"],
    ["https://hooks.example.com./", [four], 443, "hooks.example.com"],
    ["https://both.example.com/", [four, six], 443, "both.example.com"],
    ["https://bücher.example/", [four], 443, "xn--bcher-kva.example"],
    ["https://a⑧.example.com/", [four], 443, "a8.example.com"],
    ["https://8.8.4.4/", [four], 443, undefined],
    ["https://[2606:4700::1111]:8443/", [six], 8443, undefined],
  ])("%s goes to the addresses that were checked alone", async (url, addresses, port, name) => {
    for (const policy of ["public", "sandbox"] as const) {
      [opened, queried, serverNames] = [[], [], []];
      await expectVerdict(url, policy, "sent");
      const [target] = opened;
      expect(target?.addresses.map(({ address }) => address)).toEqual(addresses);
      expect(target).toMatchObject({ port, localAddress: undefined });
      expect(serverNames).toEqual(name === undefined ? [] : [name]);
      expect(queried).toHaveLength(name === undefined ? 0 : 1);
    }
  });

  it.each([
    ["http://hooks.example.com:8080/", "hooks.example.com:8080"],
    ["http://hooks.example.com/", "hooks.example.com"],
    ["http://2130706433:81/", "127.0.0.1:81"],
    ["http://[::FFFF:127.0.0.1]/", "[::ffff:7f00:1]"],
  ])("%s sends its own host", async (url, host) => {
    expect((await expectVerdict(url, "sandbox", "sent")).hosts).toEqual([host]);
  });

  it("does not follow a redirect to a private address", async () => {
    const sender = senderOf(
      "sandbox",
      openTo(() => plainPort),
    );
    for (const location of ["http://169.254.169.254/", "http://private.example.com/", "//[::1]/"]) {
      opened = [];
      receiver.answer({ status: 302, headers: { location, connection: "close" } });
      const request = { url: "http://hooks.example.com/", headers: {}, body: Buffer.from("{}") };
      expect(await sender.post(request)).toMatchObject({ statusCode: 302 });
      expect(opened).toHaveLength(1);
    }
    await sender.close();
  });

  it("leaves from the address of the setting, to addresses of its family", async () => {
    const openSocket = openTo(() => plainPort);
    const resolve = async () => zone["both.example.com"] ?? [];
    const from = { policy: "sandbox", log: silentLog, resolve, openSocket } as const;
    const request = { url: "http://both.example.com/", headers: {}, body: Buffer.from("{}") };
    for (const [localAddress, address] of [
      ["127.0.0.9", four],
      ["fd00::9", six],
    ] as const) {
      const sender = createSender({ ...from, localAddress });
      opened = [];
      await sender.post(request);
      expect(opened).toMatchObject([{ addresses: [{ address }], localAddress }]);
      await sender.close();
    }
  });

  it("really leaves the machine from that address", async () => {
    const from: (string | undefined)[] = [];
    receiver.answer((response) => {
      from.push(response.socket?.remoteAddress);
      response.end();
    });
    const fixed = createSender({ policy: "sandbox", log: silentLog, localAddress: "127.0.0.9" });
    await fixed.post({ url: receiver.url, headers: {}, body: Buffer.from("{}") });
    await fixed.close();
    expect(from).toEqual(["127.0.0.9"]);
  });
});

describe("a webhook from the address of the setting", () => {
  const from = { policy: "sandbox", log: silentLog, localAddress: "127.0.0.9" } as const;
  const request = { url: "", headers: {}, body: Buffer.from("{}") };

  it("goes to the next address of the name if one does not respond", async () => {
    receiver.answer({ status: 200, headers: { connection: "close" } });
    const resolve = async () => ["127.0.0.2", "127.0.0.3", "127.0.0.1"];
    const sender = createSender({ ...from, resolve });
    const url = `http://three.example.com:${plainPort}/`;
    expect(await sender.post({ ...request, url })).toMatchObject({ statusCode: 200 });
    await sender.close();
  });

  it("reports the last address's error if none responds", async () => {
    const resolve = async () => ["127.0.0.2", "127.0.0.3"];
    const sender = createSender({ ...from, resolve });
    const url = `http://two.example.com:${plainPort}/`;
    const failure = { kind: "failed", error: "connection_refused" };
    expect(await sender.post({ ...request, url })).toEqual(failure);
    await sender.close();
  });
});

describe("a name whose DNS responses change", () => {
  const request = { url: "http://turning.example.com/", headers: {}, body: Buffer.from("{}") };

  it("is queried once per connection, and refused once it resolves to an internal address", async () => {
    const responses = [["8.8.4.4"], ["169.254.169.254"], ["8.8.4.4"]];
    const openSocket = openTo(() => plainPort);
    const resolve = async () => responses.shift() ?? [];
    const sender = createSender({ policy: "sandbox", log: silentLog, resolve, openSocket });
    receiver.answer({ status: 200, headers: { connection: "close" } });
    expect(await sender.post(request)).toMatchObject({ statusCode: 200 });
    expect([responses.length, opened.length]).toEqual([2, 1]);
    const refusal = { kind: "failed", error: "address_refused" };
    expect(await sender.post(request)).toEqual(refusal);
    expect([responses.length, opened.length]).toEqual([1, 1]);
    await sender.close();
  });

  it.each(["http:", "https:"])(
    "gets not one byte by %s where the socket is elsewhere",
    async (by) => {
      const heard: string[] = [];
      const server = createServer((socket) => {
        socket.on("data", (data) => heard.push(data.toString("hex")));
        socket.on("error", () => undefined);
        socket.on("close", () => heard.push("closed"));
      });
      const port = await listening(server);
      const elsewhere: OpenSocket = () => connect(port, "127.0.0.1");
      const resolve = async () => ["8.8.4.4"];
      const sender = createSender({
        ...{ policy: "sandbox", log: silentLog, resolve, openSocket: elsewhere },
        ownNetworks: networks(["127.0.0.0/8"]),
      });
      const url = request.url.replace("http:", by);
      const refusal = { kind: "failed", error: "address_refused" };
      expect(await sender.post({ ...request, url })).toEqual(refusal);
      await expect.poll(() => heard).toEqual(["closed"]);
      await sender.close();
      server.close();
    },
  );
});

describe("a name server that does not respond", () => {
  it("ends the attempt to connect after 5 s, and is not followed later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const response = Promise.withResolvers<string[]>();
      const connector = createConnector({
        policy: "public",
        resolve: () => response.promise,
        openSocket: openTo(() => plainPort),
      });
      const target = { protocol: "https:", hostname: "slow.example.com", port: "" };
      const ended = new Promise((resolve) => connector(target, (...[error]) => resolve(error)));
      vi.advanceTimersByTime(5_000);
      expect(await ended).toMatchObject({ code: "UND_ERR_CONNECT_TIMEOUT" });
      response.resolve(["8.8.4.4"]);
      await response.promise;
      await new Promise((resolve) => setImmediate(resolve));
      expect(opened).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
