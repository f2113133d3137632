import { queryOptions, useQuery } from "@tanstack/react-query";
import { readAllFrom } from "../api/pages.ts";
import { rpcs } from "../api/rpc.ts";
import { pagesOf } from "../api/rpc-pages.ts";
import { operatorTexts } from "../catalogue/operator-texts.ts";
import { t } from "../catalogue/texts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import type { Column } from "../ui/table.tsx";

/** The names that were read last. */
let lastNames: ReadonlyMap<string, string> = new Map();

const readMerchants = pagesOf("merchants", rpcs.beneficiary.listMerchants);

async function readNames() {
  const { items } = await readAllFrom({ read: readMerchants });
  lastNames = new Map(items.map(({ id, name }) => [id, name]));
  return lastNames;
}

/** The names of all merchants by their ids. */
export const merchantsQuery = queryOptions({
  queryKey: ["merchants"],
  queryFn: readNames,
  staleTime: 300_000,
});

/** Shows a merchant's name with a button that copies its id, or the id if the name is unknown. */
export function MerchantName({ id }: { id: string }) {
  const name = useQuery(merchantsQuery).data?.get(id);
  if (!name) return <span className="mono break">{id}</span>;
  return (
    <span className="row named" title={id}>
      {name} <CopyButton text={id} label={t.list.copyId} />
    </span>
  );
}

/** The merchant of a row. The file has its name and its id, because names are not unique. */
export function merchantColumns<T>(
  idOf: (row: T) => string,
  layout?: Pick<Column<T>, "width">,
): Column<T>[] {
  const { merchant: header, filterMerchant } = operatorTexts.treasury.balances;
  const cell = (row: T) => <MerchantName id={idOf(row)} />;
  const csv = (row: T) => lastNames.get(idOf(row)) ?? "";
  return [
    { id: "merchant", header, cell, csv, load: readNames, ...layout },
    { id: "merchantId", header: filterMerchant, csv: idOf },
  ];
}
