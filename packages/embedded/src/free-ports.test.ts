import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { assertPortFree, freePorts } from "./free-ports.ts";

it("gives free ports below the ephemeral ones", async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(10_000);
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
  }
});

it("never gives a port twice, and no other process gives it meanwhile", async () => {
  const mine = new Set(await freePorts(40));
  expect(await freePorts(40)).toSatisfy((more: number[]) => more.every((port) => !mine.has(port)));
  const [first] = [...mine];
  const module = JSON.stringify(new URL("./free-ports.ts", import.meta.url).href);
  // The other process is led to a port of ours first, and then to others.
  const other = `
    import { assertPortFree, freePorts } from ${module};
    const share = (${first} - 10_000 + 0.5) / (32_768 - 10_000);
    const { random } = Math;
    let led = false;
    Math.random = () => led ? random() : ((led = true), share);
    process.stdout.write(JSON.stringify([...await freePorts(1), led]));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    other,
  ]);
  const [port, led] = JSON.parse(stdout);
  expect(led).toBe(true);
  expect(port).not.toBe(first);
});

it("distinguishes a bound port from a free one", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(assertPortFree("127.0.0.1", port)).rejects.toMatchObject({
    code: "EADDRINUSE",
    port,
  });
  server.close();
  await once(server, "close");
  await assertPortFree("127.0.0.1", port);
  // It was given back, so that it can be taken now.
  await assertPortFree("127.0.0.1", port);
});
