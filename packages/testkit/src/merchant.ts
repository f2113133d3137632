/** An answer of the gateway: status, headers, and the body both as text and as JSON. */
export type GatewayAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `data` of a success, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
};

/** Calls the gateway as a merchant's program does, over plain HTTP. */
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
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
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

export type Merchant = ReturnType<typeof merchantOf>;
