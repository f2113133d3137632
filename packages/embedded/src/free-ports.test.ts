import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { assertPortFree, freePorts } from "./free-ports.ts";

it("takes the ports that are preferred, each in its place, where they are free", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port: inUse } = taken.address() as AddressInfo;
  // A process that has ended reserves no ports.
  const [first, , third] = await printedBy(`
    import { freePorts } from ${module};
    process.stdout.write(JSON.stringify(await freePorts(3)));
    process.exit();`);
  const ports = await freePorts(4, [first, inUse, third]);
  taken.close();
  expect([ports[0], ports[2]]).toEqual([first, third]);
  expect(ports).not.toContain(inUse);
  expect(new Set(ports).size).toBe(4);
});

const module = JSON.stringify(new URL("./free-ports.ts", import.meta.url).href);

async function printedBy(program: string) {
  const command = ["--input-type=module", "-e", program];
  return JSON.parse((await promisify(execFile)(process.execPath, command)).stdout);
}

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
  // Offers the other process one of our ports first, then others.
  const other = `
    import { assertPortFree, freePorts } from ${module};
    const share = (${first} - 10_000 + 0.5) / (32_768 - 10_000);
    const { random } = Math;
    let led = false;
    Math.random = () => led ? random() : ((led = true), share);
    process.stdout.write(JSON.stringify([...await freePorts(1), led]));
    process.exit();`;
  const [port, led] = await printedBy(other);
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
  // The reservation was released, so the port is free.
  await assertPortFree("127.0.0.1", port);
});
