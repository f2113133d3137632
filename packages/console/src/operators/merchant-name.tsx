import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { operatorTexts } from "../catalogue/operator-texts.ts";
import { t } from "../catalogue/texts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import type { Column } from "../ui/table.tsx";
import { merchantsQuery, useMerchantName } from "./merchants.ts";

/** Shows a merchant's name with a button that copies its id, or the id if the name is unknown. */
export function MerchantName({ id }: { id: string }) {
  const name = useMerchantName(id);
  if (name === "") return <span className="mono break">{id}</span>;
  return (
    <span className="row named" title={id}>
      {name} <CopyButton text={id} label={t.list.copyId} />
    </span>
  );
}

/**
 * Adds the merchant before another column. The file has its name and its id, because names are not
 * unique.
 */
export function useMerchantColumn<T>(
  columns: readonly Column<T>[],
  place: Pick<Column<T>, "width"> & { readonly before: string; readonly idOf: (row: T) => string },
): readonly Column<T>[] {
  const { data } = useQuery(merchantsQuery);
  const { before, idOf, width } = place;
  return useMemo(() => {
    const names = new Map(data?.items.map(({ id, name }) => [id, name]));
    const at = columns.findIndex(({ id }) => id === before);
    return columns.toSpliced(
      at,
      0,
      {
        id: "merchant",
        header: operatorTexts.treasury.balances.merchant,
        ...(width && { width }),
        cell: (row) => <MerchantName id={idOf(row)} />,
        csv: (row) => names.get(idOf(row)) ?? "",
      },
      { id: "merchantId", header: operatorTexts.treasury.balances.filterMerchant, csv: idOf },
    );
  }, [columns, data, before, idOf, width]);
}
