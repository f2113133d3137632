import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { ResolveHost } from "./addresses.ts";
import { createEndpoints } from "./endpoints.ts";
import { unobserved } from "./observe.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const openStreams = () => {
  throw new Error("no streams here");
};

function endpointsOf(urls: readonly string[], resolve: ResolveHost) {
  const options = { observe: unobserved, openStreams, resolve, resolveEveryMs: 20 };
  const endpoints = createEndpoints(urls, options);
  ends.push(endpoints.close);
  const keys = () => endpoints.candidates().map(({ key }) => key.replace(/.* at /, ""));
  return { endpoints, keys };
}

const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));

it("uses literal addresses at once, without a look-up", () => {
  const never = () => Promise.reject(new Error("was asked"));
  const { endpoints, keys } = endpointsOf(["http://127.0.0.1:1", "http://[::1]:2"], never);
  expect(keys()).toEqual(["http://127.0.0.1:1", "http://[::1]:2"]);
  expect(endpoints.choose()).toBeDefined();
});

it("finds new addresses of a name, forgets old ones and keeps the last known", async () => {
  let now: () => ReturnType<ResolveHost> = async () => v4("127.0.0.1");
  const { endpoints, keys } = endpointsOf(["http://quote:9000"], () => now());
  expect(endpoints.choose()).toBeUndefined();
  const first = await endpoints.resolved();
  expect(keys()).toEqual(["127.0.0.1"]);
  now = async () => v4("127.0.0.1", "127.0.0.2");
  await expect.poll(keys).toEqual(["127.0.0.1", "127.0.0.2"]);
  expect(endpoints.candidates()[0]).toBe(first);
  now = async () => v4("127.0.0.2");
  await expect.poll(keys).toEqual(["127.0.0.2"]);
  let failures = 0;
  now = async () => {
    failures += 1;
    throw new Error("no name server");
  };
  await expect.poll(() => failures).toBeGreaterThan(2);
  expect(keys()).toEqual(["127.0.0.2"]);
  now = async () => [];
  await expect.poll(keys).toEqual(["127.0.0.2"]);
});

it("is UNAVAILABLE for a name without an address, until it has one", async () => {
  let found = v4();
  const { endpoints } = endpointsOf(["http://quote:9000"], async () => found);
  await expect(endpoints.resolved()).rejects.toThrow("the service does not respond");
  found = v4("127.0.0.1");
  expect((await endpoints.resolved()).key).toContain("127.0.0.1");
});

it("counts a process with an address of each family once", async () => {
  const { endpoints, keys } = endpointsOf(["http://quote:9000"], async () => [
    { address: "::1", family: 6 },
    ...v4("127.0.0.1", "127.0.0.1"),
  ]);
  await endpoints.resolved();
  expect(keys()).toEqual(["127.0.0.1"]);
});

it("connects to each address under the name", async () => {
  const hosts: unknown[] = [];
  const server = createServer(({ headers, socket }, response) => {
    hosts.push([headers.host, socket.localAddress]);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const resolve = async () => v4("127.0.0.1", "127.0.0.2");
  const { endpoints } = endpointsOf([`http://quote:${port}`], resolve);
  await endpoints.resolved();
  for (const { pools } of endpoints.candidates()) {
    await pools.current().request({ path: "/", method: "GET" });
  }
  expect(hosts).toEqual([
    [`quote:${port}`, "::ffff:127.0.0.1"],
    [`quote:${port}`, "::ffff:127.0.0.2"],
  ]);
});
