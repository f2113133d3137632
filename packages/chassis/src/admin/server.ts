import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../metrics.ts";
import type { Lifecycle } from "./lifecycle.ts";

export type AdminOptions = {
  readonly host: string;
  /** If 0, the system chooses a port. */
  readonly port: number;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};

/**
 * Serves probes and metrics over plain HTTP on a separate port for operators:
 * - `/livez`: 200 while the process runs. It checks no dependency, because a restart doesn't end
 *   its outage.
 * - `/startupz`: 200 once the process has started, 503 before.
 * - `/readyz`: 200 while it should get requests; 503 before it has started, while its database
 *   does not answer, and from SIGTERM on.
 * - `/metrics`: Prometheus text.
 */
export async function startAdminServer(options: AdminOptions) {
  const { host, port, metrics, lifecycle } = options;
  const routes = new Map<string, (response: ServerResponse) => Promise<void>>([
    ["/livez", probe(async () => true)],
    ["/startupz", probe(async () => lifecycle.hasStarted())],
    ["/readyz", probe(lifecycle.isReady)],
    [
      "/metrics",
      async (response) => {
        response.setHeader("content-type", metrics.contentType);
        response.end(await metrics.text());
      },
    ],
  ]);
  const server = createServer((request, response) => {
    const answer = routes.get(request.url ?? "") ?? answerNotFound;
    answer(response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${bound}`,
    stop: (): Promise<void> => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A scraper keeps its connection open, so the server closes it.
      server.closeAllConnections();
      return closed;
    },
  };
}

function probe(isWell: () => Promise<boolean>) {
  return async (response: ServerResponse): Promise<void> => {
    const well = await isWell();
    response.writeHead(well ? 200 : 503, { "content-type": "text/plain; charset=utf-8" });
    response.end(well ? "ok\n" : "not ok\n");
  };
}

async function answerNotFound(response: ServerResponse): Promise<void> {
  response.writeHead(404).end();
}
