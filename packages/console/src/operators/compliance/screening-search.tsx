import {
  Party_Type,
  type Screening,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { enumValue } from "../../api/enum-names.ts";
import { answerOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Fields } from "../../ui/fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { useFields } from "../../ui/use-fields.ts";
import { MerchantName, merchantsQuery } from "../merchants.tsx";
import { Score, VerdictBadge } from "./score.tsx";
import { ListedSide } from "./sides.tsx";

const words = operatorTexts.compliance.search;
const blank = {
  merchantId: "",
  name: "",
  type: "individual",
  date: "",
  countries: "",
  document: "",
};

/** Compares a name with all lists in force, without monitoring or blocking anyone. */
export function ScreeningSearch() {
  const { values, changed, field } = useFields(blank);
  const { data: merchants = new Map<string, string>() } = useQuery(merchantsQuery);
  const searching = useAttempt({
    send: (searched: typeof blank, attempt) => answerOf(screen(searched, attempt)),
  });
  const { data, error, isPending, variables } = searching;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    searching.mutate(values);
  };
  const isMissing = values.name.trim() === "" || values.merchantId === "";
  const isSearched = data !== undefined && JSON.stringify(variables) === JSON.stringify(values);
  const options = [...merchants].map(([id, name]) => [id, name || id] as const);
  return (
    <Page lead={words.intro}>
      <form className="form card" onSubmit={submit}>
        <div className="fields">
          <Fields
            fields={[
              { name: "merchantId", label: words.merchant, options, none: "", required: true },
              { name: "name", label: words.name, maxLength: 511, required: true },
              { name: "type", label: words.type, options: Object.entries(words.types) },
              { name: "date", label: words.date, type: "date" },
              { name: "countries", label: words.countries, hint: words.countriesHint },
              { name: "document", label: words.document },
            ]}
            field={field}
          />
        </div>
        <div>
          <Button type="submit" kind="primary" disabled={isPending || isMissing}>
            {isPending ? words.running : words.run}
          </Button>
        </div>
      </form>
      <UnsavedGuard isChanged={Object.keys(changed).length > 0 && !isSearched} />
      {error === null ? null : <ProblemNotice error={error} />}
      {data?.screening === undefined ? null : <Found screening={data.screening} />}
    </Page>
  );
}

function screen(searched: typeof blank, attempt: string) {
  const { merchantId, name, type, date, countries, document } = searched;
  return rpcs.compliance.screenParty({
    mutation: mutationOf(attempt),
    subject: { merchantId, recordId: "" },
    parties: [
      {
        name: name.trim(),
        type: enumValue(Party_Type, type),
        date,
        countries: countries
          .toUpperCase()
          .split(/[\s,]+/)
          .filter((each) => each !== ""),
        documents: document.trim() === "" ? [] : [{ number: document.trim(), country: "" }],
      },
    ],
  });
}

function Found({ screening: { verdict, hits, lists, id, subject } }: { screening: Screening }) {
  const compared = lists.map(({ list, version }) => `${list} ${version}`).join(", ");
  return (
    <Section title={words.hits} actions={<VerdictBadge verdict={verdict} />}>
      <MerchantName id={subject?.merchantId ?? ""} />
      <p className="soft small break">
        {words.compared({ lists: compared })} <code>{id}</code>
      </p>
      {hits.length === 0 ? <Notice tone="good">{words.noHits}</Notice> : null}
      {hits.map((hit) => (
        <article key={`${hit.list}:${hit.entryUid}`} className="card">
          <ListedSide hit={hit} />
          <details>
            <summary>{operatorTexts.compliance.alert.score}</summary>
            <Score hit={hit} />
          </details>
        </article>
      ))}
    </Section>
  );
}
