import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createRandom } from "@disburse/harness/random.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addressOf, type NetworkProxy, startNetworkProxy } from "./network-proxy.ts";

let echo: Server;
let target: () => { host: string; port: number };
let proxy: NetworkProxy;
const opened: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => socket.pipe(socket).on("error", () => socket.destroy()));
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const { port } = echo.address() as AddressInfo;
  target = () => ({ host: "127.0.0.1", port });
  proxy = await startNetworkProxy(target, createRandom(1));
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await proxy.close();
  echo.close();
});

function open() {
  const socket = connect(proxy.port, "127.0.0.1");
  opened.push(socket);
  const came: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => came.push(chunk));
  socket.on("error", () => socket.destroy());
  return { socket, came, text: () => Buffer.concat(came).toString() };
}

it.each(["normal", "delay", "slow", "trickle"] as const)(
  "passes everything on when it is %s",
  async (condition) => {
    proxy.set(condition);
    const { socket, text } = open();
    const sent = "payout ".repeat(200);
    socket.write(sent);
    await vi.waitFor(() => expect(text()).toBe(sent), { timeout: 5_000 });
  },
);

it("passes nothing on while silent, and all of it afterwards", async () => {
  const { socket, text } = open();
  socket.write("a");
  await vi.waitFor(() => expect(text()).toBe("a"), 10_000);
  proxy.set("silent");
  socket.write("b");
  const lit = open();
  lit.socket.write("c");
  await expect(
    vi.waitFor(() => expect(text() + lit.text()).not.toBe("a"), { timeout: 200 }),
  ).rejects.toThrow();
  proxy.set("normal");
  await vi.waitFor(() => expect(text() + lit.text()).toBe("abc"), 10_000);
});

it("is silent for one peer alone, on old connections and new ones", async () => {
  const peers = new Map<number | undefined, string>();
  await proxy.close();
  proxy = await startNetworkProxy(target, createRandom(1), {
    peerOf: ({ remotePort }) => peers.get(remotePort),
  });
  const [old, other] = [open(), open()];
  old.socket.write("a");
  other.socket.write("a");
  await vi.waitFor(() => expect(old.text() + other.text()).toBe("aa"), 10_000);
  peers.set(old.socket.localPort, "member");
  proxy.cutOff(["member"]);
  old.socket.write("b");
  other.socket.write("b");
  const late = open();
  late.socket.once("connect", () => peers.set(late.socket.localPort, "member"));
  late.socket.write("b");
  await vi.waitFor(() => expect(other.text()).toBe("ab"), 10_000);
  await expect(
    vi.waitFor(() => expect(old.text() + late.text()).not.toBe("a"), { timeout: 200 }),
  ).rejects.toThrow();
  proxy.cutOff([]);
  await vi.waitFor(() => expect(old.text() + late.text()).toBe("abb"), 10_000);
});

it("has neither old connections nor new ones when disconnected", async () => {
  const { socket, text } = open();
  socket.write("a");
  await vi.waitFor(() => expect(text()).toBe("a"), 10_000);
  proxy.set("disconnected");
  await vi.waitFor(() => expect(socket.destroyed).toBe(true), 10_000);
  const late = open();
  await vi.waitFor(() => expect(late.socket.destroyed).toBe(true), 10_000);
});

it.each([
  ["mongodb://127.0.0.1:27017/admin?directConnection=true", { host: "127.0.0.1", port: 27_017 }],
  ["mongodb://%2Ftmp%2Fa%2Fmongodb.sock/?directConnection=true", { path: "/tmp/a/mongodb.sock" }],
  ["amqp://guest:guest@127.0.0.1:5672", { host: "127.0.0.1", port: 5_672 }],
])("finds where %s leads", (uri, address) => {
  expect(addressOf(uri)).toEqual(address);
});
