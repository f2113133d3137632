import { lazy, Suspense } from "react";
import { t } from "../catalogue/texts.ts";
import { hasRole } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { compliance } from "../shell/pages.ts";
import { Page } from "../ui/page.tsx";
import { WorkList } from "../ui/work-list.tsx";
import { useOperatorWork } from "./work.ts";

const AlertCharts = lazy(async () => ({
  default: (await import("./compliance/charts.tsx")).AlertCharts,
}));

/** The first page of every operator. */
export function OperatorHome() {
  const session = useSession();
  return (
    <Page title={t.shell.pages.home}>
      <WorkList {...useOperatorWork(session)} />
      <Suspense fallback={null}>
        {hasRole(session, ...compliance) ? <AlertCharts /> : null}
      </Suspense>
    </Page>
  );
}
