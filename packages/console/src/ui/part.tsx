import { useQuery, useQueryClient, useQueryErrorResetBoundary } from "@tanstack/react-query";
import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from "react";
import { isPassing, isSignedOut } from "../api/problem.ts";
import { t } from "../catalogue/texts.ts";
import { sessionQuery } from "../session/session.ts";
import { ProblemNotice } from "./problem-notice.tsx";

/** A failure that passes by itself is tried again after this time. */
export const recoverMs = 5_000;

type Failed = { readonly error: unknown; readonly reset: () => void };

/** Content that reads records. Shows that it loads, or its problem, without the rest of the page. */
export function Part({ children, id = "" }: { children: ReactNode; id?: string }) {
  return (
    <CatchBoundary getResetKey={() => id} errorComponent={PartFailed}>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </CatchBoundary>
  );
}

export const Loading = () => <p role="status">{t.states.loading}</p>;

function PartFailed({ error, reset }: Failed) {
  return <ProblemNotice error={error} onRetry={useRetry(error, reset)} />;
}

/**
 * Returns what reads failed records again. Does so by itself if the failure passes, and after a new
 * sign-in. Failed reads are forgotten with their notice, so that the next visit reads again.
 */
export function useRetry(error: unknown, reset: () => void): () => void {
  const queries = useQueryErrorResetBoundary();
  const client = useQueryClient();
  const token = useQuery({ ...sessionQuery, enabled: false }).data?.csrf_token;
  const [before] = useState(token);
  const isSignedIn = token !== undefined && token !== before && isSignedOut(error);
  const retry = () => {
    queries.reset();
    reset();
  };
  const again = useEffectEvent(retry);
  useEffect(() => {
    if (!isSignedIn && !isPassing(error)) return;
    const timer = setTimeout(again, isSignedIn ? 0 : recoverMs);
    return () => clearTimeout(timer);
  }, [error, isSignedIn]);
  const forget = useEffectEvent(() =>
    client.removeQueries({
      type: "inactive",
      predicate: ({ state }) => state.status === "error" && state.data === undefined,
    }),
  );
  useEffect(() => () => forget(), []);
  return retry;
}
