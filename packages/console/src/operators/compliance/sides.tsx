import type { Hit, Party } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Party_Type } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
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

/** The list entry's data, as contained in the hit. */
export function ListedSide({ hit }: { hit: Hit }) {
  const alike = hit.parts.map((part) => part.entry);
  return (
    <Facts
      rows={[
        [
          words.name,
          hit.matchedName === "" ? undefined : (
            <Name key="name" name={hit.matchedName} alike={alike} />
          ),
        ],
        [words.type, words.types[hit.entryType] ?? hit.entryType],
        [operatorTexts.compliance.alerts.list, hit.list],
        [words.publisher, hit.source],
        [words.entryId, hit.entryUid],
        [words.version, hit.listVersion],
      ]}
    />
  );
}
