import { Link, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../catalogue/texts.ts";
import { Page } from "../ui/page.tsx";
import { Loading, useRetry } from "../ui/part.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";

export function NotFound() {
  return (
    <Page title={t.problems.notFound}>
      <p>{t.problems.notFoundHint}</p>
      <p>
        <Link to="/">{t.shell.pages.home}</Link>
      </p>
    </Page>
  );
}

export function PageLoading() {
  return (
    <Page>
      <Loading />
    </Page>
  );
}

/** A page whose file could not be loaded works only after the document is loaded again. */
export const isNotLoaded = (error: unknown) =>
  error instanceof TypeError && /import/i.test(error.message);

export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  useEffect(() => {
    // After an update, the files of the previous build no longer exist. Reloads the page once to
    // load the new build.
    if (isNotLoaded(error) && !sessionStorage.getItem("disburse.reloaded")) {
      sessionStorage.setItem("disburse.reloaded", "1");
      window.location.reload();
    }
  }, [error]);
  const retry = useRetry(error, () => {
    if (isNotLoaded(error)) window.location.reload();
    else void router.invalidate().then(reset);
  });
  return (
    <Page>
      <ProblemNotice error={error} onRetry={retry} />
    </Page>
  );
}
