import { once } from "node:events";
import { connect, createServer } from "node:net";
import { listenLocally } from "@disburse/harness/local-server.ts";
import { expect, it } from "vitest";
import { createOwnerLookup, inodeIn } from "./connection-owner.ts";

it.skipIf(process.platform !== "linux")("names the process of a connection", async () => {
  const server = createServer();
  const accepted = once(server, "connection");
  const client = connect(await listenLocally(server), "127.0.0.1");
  const [end] = await accepted;
  const ownerOf = (pid: number) => createOwnerLookup(() => new Map([["tests", pid]]))(end);
  expect(ownerOf(process.pid)).toBe("tests");
  expect(ownerOf(process.ppid)).toBeUndefined();
  client.destroy();
  server.close();
});

it("tells connections from one port to several others apart", () => {
  const line = (remote: string, inode: number) =>
    `  1: 0100007F:C350 0100007F:${remote} 01 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`;
  const table = ["  sl  local_address rem_address", line("1F90", 0), line("1F91", 77)].join("\n");
  expect(inodeIn(table, { remotePort: 50_000, localPort: 8_081 })).toBe("77");
  expect(inodeIn(table, { remotePort: 50_000, localPort: 8_082 })).toBeUndefined();
});
