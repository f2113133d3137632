import { t } from "../catalogue/texts.ts";
import { useSession } from "../session/use-session.ts";
import { Page } from "../ui/page.tsx";
import { WorkList } from "../ui/work-list.tsx";
import { useOperatorWork } from "./work.ts";

/** The first page of every operator. */
export function OperatorHome() {
  return (
    <Page title={t.shell.pages.home}>
      <WorkList {...useOperatorWork(useSession())} />
    </Page>
  );
}
