import { Agent, request, type ServerResponse } from "node:http";
import { serveLocally } from "@disburse/harness/local-server.ts";

type Backend = { readonly url: string; isReady: boolean; silences: number };

/** The shortest probe interval of common load balancers. */
const probeEveryMs = 500;
const probeTimeoutMs = 2_000;
/** After this many unanswered probes, a backend is not ready. */
const silencesMax = 3;

/**
 * A simple load balancer: it distributes requests in turn to backends whose last `/readyz` was 200.
 * It keeps connections open and never retries. A request without an answer gets 502.
 */
export async function startBalancer(urls: readonly string[]) {
  const backends: Backend[] = urls.map((url) => ({ url, isReady: true, silences: 0 }));
  const probe = async (backend: Backend) => {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const status = await fetch(`${backend.url}/readyz`, { signal }).then(
      (answer) => answer.status,
      () => undefined,
    );
    backend.silences = status === undefined ? backend.silences + 1 : 0;
    if (status !== undefined) backend.isReady = status === 200;
    else if (backend.silences >= silencesMax) backend.isReady = false;
  };
  const probing = setInterval(() => void Promise.all(backends.map(probe)), probeEveryMs);
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = await serveLocally((incoming, outgoing) => {
    const ready = backends.filter(({ isReady }) => isReady);
    turn += 1;
    const backend = ready[turn % ready.length];
    if (backend === undefined) return refuse(outgoing, 503, "NO_BACKEND");
    const { method = "", headers, url = "" } = incoming;
    const onward = request(`${backend.url}${url}`, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", ({ message }) => refuse(outgoing, 502, message));
    incoming.pipe(onward);
  });
  // Clients close idle connections before the server does. No request therefore meets a connection
  // that is closing.
  server.server.keepAliveTimeout = 120_000;
  return {
    url: server.url,
    close: async (): Promise<void> => {
      clearInterval(probing);
      agent.destroy();
      await server.close();
    },
  };
}

/** Uses the gateway's error format. */
function refuse(outgoing: ServerResponse, status: number, code: string): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status).end(JSON.stringify({ code }));
}
