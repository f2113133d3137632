import { createServer, type IncomingMessage } from "node:http";
import type { Bitcoind } from "./bitcoind.ts";

/** A change of a node's replies: `undefined` passes the real result on. */
export type Lie = (method: string, params: readonly unknown[], result: unknown) => unknown;

/** Starts a front of a node with a URL of its own, which can lie, be away or lose transactions. */
export async function startNodeFront(node: Pick<Bitcoind, "url">) {
  const knobs: {
    lie: Lie | undefined;
    isAway: boolean;
    /** The node never gets the transactions that it is sent. */
    swallows: boolean;
  } = { lie: undefined, isAway: false, swallows: false };
  const server = createServer(async (request, response) => {
    if (knobs.isAway) return void request.destroy();
    const body = await textOf(request);
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    if (knobs.swallows && method === "sendrawtransaction")
      return void response.end(JSON.stringify({ result: "", error: null }));
    const headers = { authorization: request.headers.authorization ?? "" };
    const real = await fetch(`${node.url}${request.url}`, { method: "POST", headers, body });
    const text = await real.text();
    const lie = knobs.lie?.(method, params, JSON.parse(text).result);
    response.statusCode = lie === undefined ? real.status : 200;
    response.end(lie === undefined ? text : JSON.stringify({ result: lie, error: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    knobs,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
