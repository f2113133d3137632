import { operatorTexts } from "../catalogue/operator-texts.ts";
import { Notice } from "../ui/notice.tsx";
import { DataTable } from "../ui/table.tsx";
import type { Change } from "./actions/rules/form.ts";

const words = operatorTexts.operators;

/** Text longer than this breaks anywhere; amounts and short ids stay whole. */
const wholeMax = 40;

export const Text = ({ text }: { text: string }) => (
  <span className={text.length > wholeMax ? "break" : ""}>{text}</span>
);

/** Shows what a change changes: each field with its value now, if that is known, and then. */
export function Changes(props: {
  changes: readonly Change[];
  isCompared: boolean;
  /** Names of records by their ids. */
  names?: ReadonlyMap<string, string> | undefined;
}) {
  const { changes, isCompared, names } = props;
  const cell = (text: string) => {
    const name = names?.get(text);
    return <Text text={name ? `${name} (${text})` : text || words.nothing} />;
  };
  const column = (id: keyof Change, header: string) => {
    return { id, header, cell: (row: Change) => cell(row[id]) };
  };
  if (changes.length === 0) return <Notice tone="warn">{words.noChange}</Notice>;
  return (
    <DataTable
      caption={words.changes}
      columns={[
        column("title", words.field),
        ...(isCompared ? [column("before", words.before)] : []),
        column("after", words.after),
      ]}
      rows={changes}
      keyOf={({ title }) => title}
    />
  );
}
