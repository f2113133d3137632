import { useQuery } from "@tanstack/react-query";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { DataTable } from "../../ui/table.tsx";
import { sourceColumns } from "../compliance/source-columns.tsx";
import { railColumns } from "../treasury/rail-columns.tsx";

const words = operatorTexts.platform.health;

export function RailStates() {
  const found = useQuery({
    queryKey: ["rails"],
    queryFn: () => answerOf(rpcs.operations.listRails({})),
  });
  return (
    <Section title={words.rails}>
      {found.isPending ? <p role="status">{t.states.loading}</p> : null}
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {found.data === undefined ? null : (
        <DataTable
          caption={words.rails}
          columns={railColumns}
          rows={found.data.rails}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}

export function SourceStates() {
  const found = useQuery({
    queryKey: ["health", "sources"],
    queryFn: () => answerOf(rpcs.compliance.listSources({})),
  });
  return (
    <Section title={words.sources}>
      {found.isPending ? <p role="status">{t.states.loading}</p> : null}
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {found.data?.sources.length === 0 ? <Notice tone="info">{words.noSources}</Notice> : null}
      {found.data === undefined || found.data.sources.length === 0 ? null : (
        <DataTable
          caption={words.sources}
          columns={sourceColumns}
          rows={found.data.sources}
          keyOf={({ list }) => list}
        />
      )}
    </Section>
  );
}
