import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import type { RouterContext } from "./observe.ts";
import { createShares } from "./shares.ts";
import { createUploads } from "./uploads.ts";

const uploads = createUploads({ merchantMax: 1 });
const shares = createShares({ noun: "files", callerMax: 1, merchantMax: 1 });

/** Begins an upload or a file of a merchant. Returns `true` if it is refused. */
const begins: readonly [string, (context: RouterContext) => boolean][] = [
  ["an upload", (context) => isRefused(uploads.begin("mer_1", context))],
  [
    "a file",
    (context) => shares.begin({ merchantId: "mer_1", actor: { id: "k" } }, context) !== undefined,
  ],
];

it.each(begins)(
  "%s of a client that left during authentication counts as none",
  async (_what, begin) => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => {
      response.once("close", () => resolve(response));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connect(port, "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    await once(server, "request");
    client.destroy();
    const left = { res: await promise } as unknown as RouterContext;
    expect(begin(left)).toBe(true);
    const res = new EventEmitter();
    expect(begin({ res } as unknown as RouterContext)).toBe(false);
    res.emit("close");
    server.close();
  },
);
