import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing, Problem } from "../api/problem.ts";
import { sessionQuery } from "../session/session.ts";

/** What was read is shown again for so long before it is read anew. */
const freshMs = 5_000;
const retriesMax = 2;

/** The cache of what was read. Changes are never repeated by themselves, and never assumed. */
export function createClient(): QueryClient {
  const onError = (error: unknown) => {
    const isSignedOut = error instanceof Problem && error.status === 401;
    if (isSignedOut) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (count, error) => count < retriesMax && isPassing(error),
      },
      mutations: { retry: false },
    },
  });
  return client;
}
