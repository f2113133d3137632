import { createHash, timingSafeEqual } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type ReceivedCall = {
  readonly receivedAt: Date;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/**
 * The receiver's answer: a status, a status with a body or headers, or none (`hang` keeps the
 * connection open, `reset` destroys it). A function writes its own response.
 */
export type Answer =
  | number
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | "hang"
  | "reset"
  | ((response: ServerResponse, call: ReceivedCall) => void);

/** Chooses each call's answer. `index` counts all calls from 0. */
export type AnswerRule = Answer | { readonly each: (call: ReceivedCall, index: number) => Answer };

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Wait = { filter?: (call: ReceivedCall) => boolean; timeoutMs?: number };
const waitDefaultMs = 20_000;

export async function startReceiver(first: AnswerRule = 200) {
  const calls: ReceivedCall[] = [];
  const waiting = new Set<() => void>();
  let rule = first;
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    void receive(request).then((call) => {
      if (call === undefined) return;
      calls.push(call);
      const answer =
        typeof rule === "object" && "each" in rule ? rule.each(call, calls.length - 1) : rule;
      reply(response, call, answer);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** The receiver serves every path below this URL. */
    url: `http://127.0.0.1:${port}`,
    /** All calls so far, in the order in which their bodies were complete. */
    calls: calls as readonly ReceivedCall[],
    open: () => open,
    /** Sets the answer for later calls. The initial answer is 200. */
    answer: (next: AnswerRule) => {
      rule = next;
    },
    /** Resolves after `count` calls that match `filter`. Rejects after `timeoutMs`. */
    waitFor: (count: number, { filter = () => true, timeoutMs = waitDefaultMs }: Wait = {}) =>
      new Promise<ReceivedCall[]>((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(late);
          waiting.delete(check);
          settle();
        };
        const check = () => {
          const passed = calls.filter(filter);
          if (passed.length >= count) end(() => resolve(passed));
        };
        const late = setTimeout(() => {
          const came = calls.filter(filter).length;
          end(() => reject(new Error(`${came} of ${count} webhooks came in ${timeoutMs} ms`)));
        }, timeoutMs);
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedCall | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The caller cancelled the call before its body was complete, so there is no call to record.
    return undefined;
  }
  return {
    receivedAt: new Date(),
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

function reply(response: ServerResponse, call: ReceivedCall, answer: Answer): void {
  if (answer === "reset") response.destroy();
  else if (typeof answer === "function") answer(response, call);
  else if (answer !== "hang") {
    const full = typeof answer === "number" ? { status: answer } : answer;
    response.writeHead(full.status, full.headers ?? {}).end(full.body ?? "");
  }
}

export type ShownSecrets = { readonly secret: string; readonly standardSecret: string };

/** The signatures of a call that match one of the two secrets. */
export type Verified = {
  readonly interface: boolean;
  readonly interfacePrevious: boolean;
  readonly standard: boolean;
};

const headerDefault = "x-service-signature";

/**
 * Verifies a call as a merchant does, without the sender's code. Calculates the first signature
 * from the body's id and status, and verifies the second one with the library of Standard Webhooks.
 * Ignores the age of the timestamp, because tests set their own clock.
 */
export function verifyCall(
  call: ReceivedCall,
  secrets: ShownSecrets,
  headerName = headerDefault,
): Verified {
  const { data } = JSON.parse(call.body.toString()) as { data: { id: string; status: string } };
  const message = `${data.id},${data.status}:${secrets.secret}`;
  const expected = createHash("sha256").update(message).digest("base64");
  const name = headerName.toLowerCase();
  const seconds = Number(call.headers["webhook-timestamp"]);
  const standard = new Webhook(secrets.standardSecret).sign(
    String(call.headers["webhook-id"]),
    new Date(seconds * 1_000),
    call.body,
  );
  const sent = String(call.headers["webhook-signature"] ?? "").split(" ");
  return {
    interface: equal(call.headers[name], expected),
    interfacePrevious: equal(call.headers[`${name}-previous`], expected),
    standard: sent.some((each) => equal(each, standard)),
  };
}

function equal(sent: string | string[] | undefined, expected: string): boolean {
  const left = Buffer.from(String(sent ?? ""));
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
