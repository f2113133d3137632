import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Contract, endpointsOf, responsesOf } from "./contract.ts";

export type Received = {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
};

/** Starts a server that returns each operation's example and records the requests. */
export async function startReferenceServer(contract: Contract) {
  const received: Received[] = [];
  const routes = endpointsOf(contract).map(({ method, path, its }) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    const [[mediaType = "", content] = []] = Object.entries(
      responsesOf(its, contract).success?.content ?? {},
    );
    const value = content?.examples?.success?.value;
    return {
      method,
      pattern,
      mediaType,
      text: typeof value === "string" ? value : JSON.stringify(value),
    };
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
