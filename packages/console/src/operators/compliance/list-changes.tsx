import {
  type EntryDifference,
  EntryDifference_Kind,
  type ListVersion,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { enumName } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { useAnswer, useOptionalAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { codeColumn, textColumn } from "../../ui/columns.tsx";
import { choiceFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { momentText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { entryTitle, fieldChanges } from "./rules/difference.ts";

const words = operatorTexts.compliance.changes;
const route = getRouteApi("/shell/compliance/lists/$importId");

/** Maximum number of imports offered for comparison. */
const importsMax = 100;

const tones: Readonly<Record<string, Tone>> = { added: "warn", changed: "info", removed: "plain" };
const kindOf = ({ kind }: EntryDifference) => enumName(EntryDifference_Kind, kind);
const changeText = (row: EntryDifference) =>
  fieldChanges(row)
    .map(({ field, gone, added }) => {
      const parts = [...gone.map((each) => `− ${each}`), ...added.map((each) => `+ ${each}`)];
      return `${words.fields[field] ?? field}: ${parts.join("; ") || words.order}`;
    })
    .join(" | ");

export const differenceColumns: readonly Column<EntryDifference>[] = [
  textColumn("kind", words.kind, kindOf, {
    cell: (row) => (
      <Badge tone={tones[kindOf(row)] ?? "plain"}>{words.kinds[kindOf(row)] ?? ""}</Badge>
    ),
  }),
  textColumn("name", words.name, entryTitle),
  textColumn("changed", words.changed, changeText, { cell: (row) => <Changes row={row} /> }),
  codeColumn("uid", words.uid, ({ uid }) => uid, { width: "wide" }),
];

function Changes({ row }: { row: EntryDifference }) {
  const changes = fieldChanges(row);
  if (changes.length === 0) return <span className="soft">–</span>;
  return (
    <ul className="plain">
      {changes.map(({ field, gone, added }) => (
        <li key={field}>
          {words.fields[field] ?? field}: {gone.length + added.length === 0 ? words.order : null}
          {gone.map((each) => (
            <del key={each}>{each} </del>
          ))}
          {added.map((each) => (
            <ins key={each}>{each} </ins>
          ))}
        </li>
      ))}
    </ul>
  );
}

const nameOf = (version: ListVersion | undefined) => `${version?.list} ${version?.version}`;

/** The imports of a list that another one can be compared with. */
function useBases(importId: string, list: string) {
  const data = useOptionalAnswer(["compliance", "imports", list], () =>
    rpcs.compliance.listImports({ list, limit: importsMax }),
  );
  const others = (data?.imports ?? []).filter(
    ({ id, state }) => id !== importId && (state === "in_force" || state === "superseded"),
  );
  return others.map(({ id, version, startedAt }) => {
    return [id, `${version?.version} (${momentText(isoOf(startedAt))})`] as const;
  });
}

export function ListChanges() {
  const { importId } = route.useParams();
  // While another comparison is read, the page stays.
  const { base: baseImportId = "" } = useDeferredValue(route.useSearch());
  const key = ["compliance", "changes", importId, baseImportId];
  const compared = { importId, baseImportId };
  const { version, base } = useAnswer([...key, "versions"], () =>
    rpcs.compliance.compareImports({ ...compared, limit: 1 }),
  );
  const source = rpcSource(key, "differences", (page) =>
    rpcs.compliance.compareImports({ ...compared, ...page }),
  );
  const options = useBases(importId, version?.list ?? "");
  return (
    <ListPage
      title={words.title({ version: nameOf(version) })}
      lead={base === undefined ? words.first : words.since({ version: nameOf(base) })}
      caption={words.caption}
      columns={differenceColumns}
      keyOf={({ uid }) => uid}
      empty={words.none}
      source={() => source}
      file={{ name: "list-changes" }}
      filters={[choiceFilter("base", words.base, options, words.replaced)]}
    />
  );
}
