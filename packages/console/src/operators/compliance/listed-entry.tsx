import type { Hit } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Part } from "../../ui/part.tsx";

const words = operatorTexts.compliance.alert;

/** Shows the list entry as its publisher wrote it. Shows nothing for a hit without an entry. */
export function ListedEntry({ hit }: { hit: Hit }) {
  if (hit.list === "") return null;
  return (
    <Part>
      <Entry hit={hit} />
    </Part>
  );
}

function Entry({ hit: { list, entryUid, listVersion } }: { hit: Hit }) {
  const found = useSuspenseQuery({
    queryKey: ["compliance", "entry", list, entryUid, listVersion],
    queryFn: () => answerOf(rpcs.compliance.getListedEntry({ list, entryUid, listVersion })),
    staleTime: "static",
  });
  const { entry, inForce } = found.data;
  if (entry === undefined) return null;
  const named = (kind: string) =>
    entry.names.flatMap((each) => (each.kind === kind ? [each.name] : [])).join("; ");
  const documents = entry.documents.map((each) =>
    [each.type, each.number, each.country].filter((text) => text !== "").join(" "),
  );
  const wallets = entry.wallets.map(({ currency, address }) => `${currency} ${address}`);
  return (
    <>
      {inForce ? null : <Notice tone="info">{words.notInForce}</Notice>}
      <Facts
        rows={[
          [words.primaryName, named("primary")],
          [words.aliases, named("alias")],
          [words.weakAliases, named("weak")],
          [words.births, entry.births.join(", ")],
          [words.countries, entry.countries.join(", ")],
          [words.documents, documents.join("; ")],
          [words.wallet, wallets.join("; ")],
          [words.programmes, entry.programs.join(", ")],
        ]}
      />
    </>
  );
}
