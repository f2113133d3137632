import type { ClientOptions } from "@disburse/sdk/client-options.ts";
import { Disburse } from "@disburse/sdk/disburse.ts";
import { readReference } from "@disburse/testkit/reference.ts";

const reference = readReference();

/** Matches a record id or the public part of an API key. */
const recordId = /[a-z]+_[0-9a-z]{26,}|(?<=\/keys\/)\w+/;

/** Creates an SDK client that compares every answer with the reference. */
export function sdkClient(options: ClientOptions) {
  const called = new Set<string>();
  const problems: string[] = [];
  const inner = options.fetch ?? fetch;
  const client = new Disburse({
    ...options,
    fetch: async (url, init) => {
      const response = await inner(url, init);
      const { method = "GET" } = init ?? {};
      const path = new URL(String(url)).pathname;
      const { status, headers } = response;
      const text = await response.clone().text();
      const isJson = headers.get("content-type")?.startsWith("application/json");
      const body = isJson ? JSON.parse(text) : text;
      // A problem thrown here would look like a failed connection to the client.
      const found = reference.problems({ method, path, status, headers, body });
      problems.push(...found.map((each) => `${method} ${path} ${status}: ${each}`));
      called.add(`${method} ${path.replace(recordId, "{id}")}`);
      return response;
    },
  });
  return {
    client,
    /** Requested operations, with ids replaced by `{id}`. */
    called: called as ReadonlySet<string>,
    problems: problems as readonly string[],
  };
}
