import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveLocally } from "@disburse/harness/local-server.ts";
import type { Random } from "@disburse/harness/random.ts";
import { until } from "@disburse/harness/waiting.ts";

/**
 * An endpoint's behaviour. `ready` answers at once, `slow` after a delay. `flaky` sometimes returns
 * another status or breaks the connection.
 */
export const endpointKinds = ["ready", "slow", "flaky"] as const;
export type EndpointKind = (typeof endpointKinds)[number] | "never";

export type CallPoint = "arrival" | "answer";

/** Merchants' endpoints that record every call, even if its sender dies. */
export type WebhookReceiver = Awaited<ReturnType<typeof openWebhookReceiver>>;

const drain = { timeoutMs: 2_000, everyMs: 10 };
const slowMaxMs = 200;
/**
 * A flaky endpoint fails one in this many calls on average, but never the same delivery three
 * times.
 */
const flakyEvery = 8;
const flakyMax = 2;
const refusals = [201, 204, 307, 410, 429, 500, 503];

function createCallLog() {
  const notes = new Map<string, { count: number; hasAnswer: boolean; body: string }>();
  const times = new Map<string, number[]>();
  const problems: string[] = [];
  const call = (path: string, eventId: string) => notes.get(`${path} ${eventId}`);
  return {
    problems,
    note: (path: string, eventId: string, body: string) => {
      const { data } = JSON.parse(body);
      // A test event's data has no event id.
      if ((data.event ?? eventId) !== eventId) problems.push(`${eventId} has another's body`);
      const first = { count: 0, hasAnswer: false, body };
      const each = notes.getOrInsert(`${path} ${eventId}`, first);
      if (each.body !== body) problems.push(`${eventId} arrived with two bodies`);
      each.count += 1;
      times.getOrInsert(path, []).push(performance.now());
      return each;
    },
    arrivals: (path: string, eventId: string): number => call(path, eventId)?.count ?? 0,
    acknowledged: (path: string, eventId: string): boolean =>
      call(path, eventId)?.hasAnswer === true,
    /** Arrival times at a path, in ms of the monotonic clock. */
    times: (path: string): readonly number[] => times.get(path) ?? [],
  };
}

export async function openWebhookReceiver(random: Random) {
  const callLog = createCallLog();
  let calls = 0;
  let connections = 0;
  let watched: { point: CallPoint; at: number; onReached: () => void } | undefined;
  const report = (point: CallPoint): void => {
    if (watched === undefined || watched.point !== point || calls < watched.at) return;
    const { onReached } = watched;
    watched = undefined;
    onReached();
  };
  const { server, url, close } = await serveLocally(async (request, response) => {
    const { url: path = "", headers } = request;
    const call = callLog.note(path, String(headers["webhook-id"]), await text(request));
    calls += 1;
    report("arrival");
    const kind = path.split("/")[1] as EndpointKind;
    const isRefused =
      kind === "never" ||
      (kind === "flaky" && call.count <= flakyMax && random.below(flakyEvery) === 0);
    if (isRefused) refuse(response, random);
    else {
      call.hasAnswer = true;
      const end = () => void response.writeHead(200).end();
      if (kind === "slow") setTimeout(end, random.below(slowMaxMs));
      else end();
    }
    response.once("finish", () => report("answer"));
  });
  server.on("connection", (socket) => {
    connections += 1;
    socket.once("close", () => {
      connections -= 1;
    });
  });
  return {
    ...callLog,
    url: (path: string) => `${url}${path}`,
    calls: () => calls,
    /**
     * Waits until no sender is connected, which means that all received data was read. Stops
     * waiting after a timeout.
     */
    drained: () => until(() => connections === 0, drain),
    /**
     * Calls back once, when the `number`th call from now reaches this point. Returns a function
     * that cancels the callback.
     */
    report: (point: CallPoint, number: number, onReached: () => void) => {
      watched = { point, at: calls + number, onReached };
      return () => {
        watched = undefined;
      };
    },
    close,
  };
}

/** Refuses with another status than 200, or breaks the connection. */
function refuse(response: ServerResponse, random: Random): void {
  const isBroken = random.below(2) === 0;
  if (isBroken) response.destroy();
  else response.writeHead(random.pick(refusals)).end();
}
