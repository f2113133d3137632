import { t } from "../catalogue/texts.ts";
import { Page } from "./page.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

type Found = { readonly error: unknown; readonly refetch: () => Promise<unknown> };

/** The page of a record that isn't loaded yet. */
export function AwaitedPage({ title, found }: { title: string; found: Found }) {
  return (
    <Page title={title}>
      <Awaited found={found} />
    </Page>
  );
}

/** Shows that a query has no data yet, or its problem with a button that tries again. */
export function Awaited(props: { found: Found; text?: string }) {
  const { found, text = t.states.loading } = props;
  if (found.error === null) return <p role="status">{text}</p>;
  return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
}
