import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/forms.css";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isPassing, isSignedOut, Problem } from "./api/problem.ts";
import { createConsoleRouter } from "./routes/router.tsx";
import { sessionQuery } from "./session/session.ts";
import { isNotLoaded } from "./shell/failures.tsx";
import { applyTheme, storedTheme } from "./shell/theme.ts";
import { recoverMs } from "./ui/part.tsx";

/** Cached data counts as fresh for this many milliseconds. */
const freshMs = 5_000;
const retriesMax = 2;

applyTheme(storedTheme());

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element with the id root");

const client = createClient();
const router = createConsoleRouter(client);

// Refused and failed requests are shown on the page, so they aren't logged as its faults.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof Problem || isNotLoaded(error))) reportError(error);
};

createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

/** The query cache. Mutations are never retried automatically and never optimistic. */
function createClient(): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (count, error) => count < retriesMax && isPassing(error),
        // Pages recover by themselves when the failure has passed.
        refetchInterval: ({ state }) => (isPassing(state.error) ? recoverMs : false),
      },
      mutations: { retry: false },
    },
  });
  return client;
}
