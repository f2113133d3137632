import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type NodeCall = { readonly id: unknown; readonly method: string; params?: unknown[] };
export type NodeAnswer = { readonly id: unknown; result?: unknown; error?: unknown };

export type NodeFault = {
  isAway?: boolean;
  delayMs?: number;
  /** The number of blocks by which the node lags behind the chain. */
  behind?: number;
  lie?: (call: NodeCall, answer: NodeAnswer) => NodeAnswer;
};

/** Starts an HTTP proxy for a node. The proxy applies `fault`. */
export async function startNodeProxy(url: string) {
  let fault: NodeFault = {};
  const ask = async (calls: readonly NodeCall[]): Promise<NodeAnswer[]> => {
    const body = JSON.stringify(calls.map((call) => ({ jsonrpc: "2.0", ...call })));
    const headers = { "content-type": "application/json" };
    return (await (await fetch(url, { method: "POST", headers, body })).json()) as NodeAnswer[];
  };
  const heightOf = async (): Promise<number> => {
    const [height] = await ask([{ id: 0, method: "eth_blockNumber" }]);
    return Number(height?.result);
  };
  const answerAll = async (calls: readonly NodeCall[]): Promise<NodeAnswer[]> => {
    const { behind = 0, lie } = fault;
    if (behind === 0) return lied(calls, await ask(calls), lie);
    const height = Math.max(0, (await heightOf()) - behind);
    const shown = calls.map((call) => ({ ...call, params: atHeight(call.params, height) }));
    const answers = (await ask(shown)).map((answer) => upTo(answer, height));
    return lied(calls, answers, lie);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { isAway = false, delayMs = 0 } = fault;
    if (isAway) {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const requestBody = JSON.parse(Buffer.concat(chunks).toString()) as NodeCall | NodeCall[];
    const answers = await answerAll([requestBody].flat());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(requestBody) ? answers : answers[0]));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    set: (next: NodeFault): void => {
      fault = next;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function lied(
  calls: readonly NodeCall[],
  answers: readonly NodeAnswer[],
  lie: NodeFault["lie"],
): NodeAnswer[] {
  if (lie === undefined) return [...answers];
  const byId = new Map(calls.map((call) => [call.id, call]));
  return answers.map((answer) => {
    const call = byId.get(answer.id);
    return call === undefined ? answer : lie(call, answer);
  });
}

/** Replaces block tags by the number that a lagging node would use. */
function atHeight(params: unknown[] | undefined, height: number): unknown[] {
  const number = `0x${height.toString(16)}`;
  return (params ?? []).map((each) => (each === "latest" || each === "pending" ? number : each));
}

function upTo(answer: NodeAnswer, height: number): NodeAnswer {
  const { result } = answer;
  const number = (result as { blockNumber?: unknown } | null | undefined)?.blockNumber;
  const isLater = typeof number === "string" && Number(number) > height;
  return isLater ? { ...answer, result: null } : answer;
}
