import { type Reference, readReference } from "./reference.ts";

/** A gateway response. `json` is present if the body is JSON. */
export type GatewayAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The `data` of a success, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
};

let reference: Reference | undefined;

/** Throws if an answer doesn't match the reference. */
function assertAsDescribed(method: string, path: string, answer: GatewayAnswer): void {
  reference ??= readReference();
  const { status, headers, text, json } = answer;
  const body = json ?? text;
  const problems = reference.problems({ method, path, status, headers, body });
  if (problems.length === 0) return;
  throw new Error(
    `${method} ${path} ${status} contradicts the API reference: ${problems.join("; ")}: ${answer.text}`,
  );
}

/**
 * Calls the gateway as a merchant's program does, over plain HTTP. Compares every answer with the
 * OpenAPI document.
 */
export function merchantOf(baseUrl: string, apiKey: string) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<GatewayAnswer> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    const isJson = answered.get("content-type")?.startsWith("application/json") === true;
    const json = isJson ? JSON.parse(text) : undefined;
    const answer = { status, headers: answered, text, json };
    assertAsDescribed(method, path, answer);
    return answer;
  };
  return {
    call,
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      call("POST", path, body, headers),
    /** Returns the `data` of a success. Fails the test for any other response. */
    data: async (method: string, path: string, body?: unknown) => {
      const answer = await call(method, path, body);
      if (answer.status !== 200) throw new Error(`${method} ${path} failed: ${answer.text}`);
      return answer.json.data;
    },
  };
}

export type Merchant = ReturnType<typeof merchantOf>;
