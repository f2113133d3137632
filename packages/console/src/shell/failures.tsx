import { Link, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../catalogue/texts.ts";
import { Page } from "../ui/page.tsx";
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

/** A page whose file could not be loaded works only after the document is loaded again. */
const isNotLoaded = (error: unknown) => error instanceof TypeError && /import/i.test(error.message);

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
  const retry = async () => {
    if (isNotLoaded(error)) return window.location.reload();
    await router.invalidate();
    reset();
  };
  return (
    <Page title={t.problems.title}>
      <ProblemNotice error={error} onRetry={() => void retry()} />
    </Page>
  );
}
