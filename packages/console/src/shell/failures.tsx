import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../catalogue/en.ts";
import { Page } from "../ui/page.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";

export function NotFound() {
  return (
    <main className="main">
      <NotFoundPage />
    </main>
  );
}

function NotFoundPage() {
  return (
    <Page title={t.problems.notFound}>
      <p>{t.problems.notFoundHint}</p>
      <p>
        <Link to="/">{t.shell.pages.home}</Link>
      </p>
    </Page>
  );
}

export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  useEffect(() => {
    // After an update, the files of the previous build no longer exist. Reloads the page once to
    // load the new build.
    const isOldBuild = error instanceof TypeError && /import/i.test(error.message);
    if (isOldBuild && !sessionStorage.getItem("disburse.reloaded")) {
      sessionStorage.setItem("disburse.reloaded", "1");
      window.location.reload();
    }
  }, [error]);
  return (
    <Page title={t.problems.title}>
      <ProblemNotice error={error} />
      <p>
        <button type="button" className="button" onClick={reset}>
          {t.actions.retry}
        </button>
      </p>
    </Page>
  );
}
