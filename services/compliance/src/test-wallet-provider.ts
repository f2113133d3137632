import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A local server that replaces a wallet risk provider, for tests. */
export type TestProvider = {
  readonly url: string;
  /** Requests in the order of their arrival. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** Sets the response to the next requests. */
  respond(next: (response: ServerResponse) => void): void;
  answerJson(body: unknown, status?: number, headers?: Readonly<Record<string, string>>): void;
  end(): Promise<void>;
};

export async function testProvider(): Promise<TestProvider> {
  const requests: TestProvider["requests"] = [];
  let current = (response: ServerResponse): void => {
    response.writeHead(500).end();
  };
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    current(response);
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  const respond = (next: (response: ServerResponse) => void): void => {
    current = next;
  };
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    requests,
    respond,
    answerJson: (body, status = 200, headers = {}) => {
      respond((response) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      });
    },
    end: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
