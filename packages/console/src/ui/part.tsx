import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useEffectEvent } from "react";
import { isPassing } from "../api/problem.ts";
import { t } from "../catalogue/texts.ts";
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

/** Returns what reads failed records again. Does so by itself if the failure is a passing one. */
export function useRetry(error: unknown, reset: () => void): () => void {
  const queries = useQueryErrorResetBoundary();
  const retry = () => {
    queries.reset();
    reset();
  };
  const again = useEffectEvent(retry);
  useEffect(() => {
    if (!isPassing(error)) return;
    const timer = setTimeout(again, recoverMs);
    return () => clearTimeout(timer);
  }, [error]);
  return retry;
}
