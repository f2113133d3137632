import { type Reference, readReference } from "./reference.ts";

/** An answer of the gateway: status, headers, and the body as text and, where it is, as JSON. */
export type GatewayAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `data` of a success, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
};

/** Read once in each process that calls a gateway. */
let reference: Reference | undefined;

/** Throws where an answer is not as the reference describes it. */
function assertAsDescribed(method: string, path: string, answer: GatewayAnswer): void {
  reference ??= readReference();
  const { status, headers, text, json } = answer;
  const body = json ?? text;
  const problems = reference.problems({ method, path, status, headers, body });
  if (problems.length === 0) return;
  throw new Error(`${method} ${path} ${status}: ${problems.join("; ")}: ${answer.text}`);
}

/**
 * Calls the gateway as a merchant's program does, over plain HTTP; every answer is held against the
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
    /** `data` of a success; anything else fails the test with what was answered. */
    data: async (method: string, path: string, body?: unknown) => {
      const answer = await call(method, path, body);
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.json.data;
    },
  };
}

/** A merchant's program, as `merchantOf` makes it. */
export type Merchant = ReturnType<typeof merchantOf>;
