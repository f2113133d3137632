import { operatorTexts } from "../catalogue/operator-texts.ts";
import { Notice } from "../ui/notice.tsx";
import { DataTable } from "../ui/table.tsx";

export type Change = { readonly title: string; readonly before: string; readonly after: string };

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
  /** Returns the name of the record with this id. */
  nameOf?: (id: string) => string | undefined;
}) {
  const { changes, isCompared, nameOf } = props;
  const cell = (text: string) => {
    const name = nameOf?.(text);
    return <Text text={name ? `${name} (${text})` : text || words.nothing} />;
  };
  if (changes.length === 0) return <Notice tone="warn">{words.noChange}</Notice>;
  const before = {
    id: "before",
    header: words.before,
    cell: (row: Change) => cell(row.before),
  };
  return (
    <DataTable
      caption={words.changes}
      columns={[
        { id: "title", header: words.field, cell: ({ title }) => title },
        ...(isCompared ? [before] : []),
        { id: "after", header: words.after, cell: ({ after }) => cell(after) },
      ]}
      rows={changes}
      keyOf={({ title }) => title}
    />
  );
}
