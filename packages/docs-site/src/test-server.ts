import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ReferenceOperation } from "./reference.ts";

export type Received = {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
};

/** Starts a server that returns each operation's example and records the requests. */
export async function startReferenceServer(operations: readonly ReferenceOperation[]) {
  const received: Received[] = [];
  const routes = operations.map(({ method, path, described }) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return { method, pattern, ...answerOf(described) };
  });
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method, url = "", headers } = request;
    const key = headers["idempotency-key"];
    received.push({
      method,
      path: url,
      authorization: headers.authorization,
      idempotencyKey: typeof key === "string" ? key : undefined,
      body: body === "" ? undefined : JSON.parse(body),
    });
    const [path = ""] = url.split("?");
    const route = routes.find((each) => each.method === method && each.pattern.test(path));
    response.writeHead(route === undefined ? 404 : 200, {
      "Content-Type": route?.mediaType ?? "application/json",
    });
    response.end(route?.text ?? '{"code":"ROUTE_NOT_FOUND","message":""}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the requests since the previous call. */
    take: (): Received[] => received.splice(0),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

function answerOf({ responses }: ReferenceOperation["described"]) {
  const [[mediaType, content] = ["", undefined]] = Object.entries(responses["200"]?.content ?? {});
  const value: unknown = content?.examples?.success?.value;
  return { mediaType, text: typeof value === "string" ? value : JSON.stringify(value) };
}
