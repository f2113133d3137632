import {
  type Hit,
  type Party,
  Party_Type,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { onceOnly } from "../../api/pages.ts";
import { rpcs } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Part } from "../../ui/part.tsx";
import { markedName } from "./rules/marked.ts";

const words = operatorTexts.compliance.alert;

function Name({ name, alike }: { name: string; alike: readonly string[] }) {
  let at = 0;
  return (
    <strong>
      {markedName(name, alike).map(({ text, isAlike }) => {
        at += text.length;
        return isAlike ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>;
      })}
    </strong>
  );
}

export function PartySide(props: {
  party: Party | undefined;
  wallet: string | undefined;
  hit: Hit;
}) {
  const { party, wallet, hit } = props;
  const alike = hit.parts.map((part) => part.party);
  const documents = party?.documents.map(({ number, country }) => `${number} ${country}`.trim());
  return (
    <Facts
      rows={[
        [words.name, party && <Name key="name" name={party.name} alike={alike} />],
        [words.type, party && words.types[enumName(Party_Type, party.type)]],
        [words.date, party?.date],
        [words.countries, party?.countries.join(", ")],
        [words.documents, documents?.join(", ")],
        [words.wallet, wallet],
      ]}
    />
  );
}

/** The list entry as contained in the hit, and as its publisher wrote it, if there is one. */
export function ListedSide({ hit }: { hit: Hit }) {
  const { matchedName: name, parts, list } = hit;
  const alike = parts.map((part) => part.entry);
  return (
    <>
      <Facts
        rows={[
          [words.name, name && <Name key="name" {...{ name, alike }} />],
          [words.type, words.types[hit.entryType] ?? hit.entryType],
          [operatorTexts.compliance.alerts.list, list],
          [words.publisher, hit.source],
          [words.entryId, hit.entryUid],
          [words.version, hit.listVersion],
        ]}
      />
      {list === "" ? null : (
        <Part>
          <Entry hit={hit} />
        </Part>
      )}
    </>
  );
}

function Entry({ hit: { list, entryUid, listVersion } }: { hit: Hit }) {
  const { entry, inForce } = useAnswer(
    ["compliance", "entry", list, entryUid, listVersion],
    () => rpcs.compliance.getListedEntry({ list, entryUid, listVersion }),
    onceOnly,
  );
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
