import { lazy, Suspense } from "react";
import { ForRoles } from "../session/may.tsx";
import { useSession } from "../session/use-session.ts";
import { compliance, support } from "../shell/pages.ts";
import { Page } from "../ui/page.tsx";
import { WorkList } from "../ui/work-list.tsx";
import { useOperatorWork } from "./work.ts";

const AlertCharts = lazy(async () => ({
  default: (await import("./compliance/charts.tsx")).AlertCharts,
}));

const PlatformBalances = lazy(async () => ({
  default: (await import("./treasury/balances.tsx")).PlatformBalances,
}));

/** The first page of every operator. */
export function OperatorHome() {
  return (
    <Page>
      <WorkList {...useOperatorWork(useSession())} />
      <Suspense fallback={null}>
        <ForRoles roles={support}>
          <PlatformBalances />
        </ForRoles>
        <ForRoles roles={compliance}>
          <AlertCharts />
        </ForRoles>
      </Suspense>
    </Page>
  );
}
