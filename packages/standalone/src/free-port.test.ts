import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { assertPortFree } from "./free-port.ts";

it("tells a port that is taken from one that is free", async () => {
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
