import type { ClientOptions } from "./client-options.ts";

/** A request as the client sent it. */
export type SentRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
};

/** What a try is answered with; an `Error` is a connection that fails. */
export type Reply = Response | Error;

/** A success as the gateway writes it. */
export function data(json: string): Response {
  return new Response(`{"data":${json}}`, { headers: { "content-type": "application/json" } });
}

/** A refusal as the gateway writes it. */
export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ code, message: `told: ${code}` }), { status, headers });
}

/** The options of a client whose requests are answered in turn, and the requests that came. */
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
    if (next === undefined) throw new Error("more requests came than were scripted");
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
