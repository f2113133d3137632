import type { ClientOptions } from "./client-options.ts";

export type SentRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
};

/** The reply to one attempt; an `Error` stands for a failed connection. */
export type Reply = Response | Error;

/** Creates a success response in the gateway's format. */
export function data(json: string): Response {
  return new Response(`{"data":${json}}`, { headers: { "content-type": "application/json" } });
}

/** Creates an error response in the gateway's format. */
export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ code, message: `refused: ${code}` }), { status, headers });
}

/**
 * Returns client options with a `fetch` that gives the replies in order, and the list of requests
 * that this `fetch` received.
 */
export function scripted(replies: readonly (Reply | (() => Reply))[]) {
  const sent: SentRequest[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const headers = new Headers(init.headers);
    sent.push({
      method,
      url: String(url),
      headers,
      body: typeof body === "string" ? body : undefined,
    });
    const next = replies[sent.length - 1];
    if (next === undefined) throw new Error("the test received more requests than it has replies");
    const reply = typeof next === "function" ? next() : next;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const options: ClientOptions = {
    apiKey: "dsb_test_key",
    baseUrl: "https://gateway.example",
    fetch: fetch as typeof globalThis.fetch,
  };
  return { sent, options };
}
