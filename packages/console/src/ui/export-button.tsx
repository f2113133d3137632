import { useMutation } from "@tanstack/react-query";
import { exportRowsMax } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import type { Column } from "./table.tsx";

/** Exports all pages of a filtered list as a CSV file, up to 10,000 rows. */
export function ExportButton<T extends object>(props: {
  name: string;
  /** Reads all rows, up to the file's limit. */
  read: () => Promise<{ items: readonly T[]; isCut: boolean }>;
  columns: readonly Column<T>[];
}) {
  const { name, read, columns } = props;
  const saving = useMutation({
    mutationFn: async () => {
      const loading = columns.map(({ load }) => load?.());
      const reading = [read(), import("./csv.ts"), ...loading] as const;
      const [{ items, isCut }, { saveCsv }] = await Promise.all(reading);
      saveCsv(name, columns, items);
      return { count: items.length, isCut };
    },
  });
  return (
    <>
      <Button disabled={saving.isPending} onClick={() => saving.mutate()}>
        {saving.isPending ? t.actions.exporting : t.actions.exportCsv}
      </Button>
      {saving.isError ? <ProblemNotice error={saving.error} /> : null}
      {saving.data === undefined ? null : (
        <Notice tone={saving.data.isCut ? "warn" : "good"}>
          {saving.data.isCut
            ? t.list.exportCut({ rows: exportRowsMax })
            : t.list.exported({ rows: saving.data.count })}
        </Notice>
      )}
    </>
  );
}
