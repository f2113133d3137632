import {
  type Hit,
  Party_Type,
  type Screening,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { enumValue } from "../../api/enum-names.ts";
import { answerOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { MerchantName } from "../merchant-name.tsx";
import { merchantsQuery } from "../merchants.ts";
import { ListedEntry } from "./listed-entry.tsx";
import { Score } from "./score.tsx";
import { ListedSide } from "./sides.tsx";
import { VerdictBadge } from "./verdict.tsx";

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
  const [form, setForm] = useState(blank);
  const set = (name: keyof typeof blank) => (value: string) => setForm({ ...form, [name]: value });
  const searching = useAttempt({
    send: (searched: typeof blank, attempt) => answerOf(screen(searched, attempt)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    searching.mutate(form);
  };
  return (
    <Page title={words.title} lead={words.intro}>
      <form className="form card" onSubmit={submit}>
        <div className="fields">
          <MerchantField value={form.merchantId} onChange={set("merchantId")} />
          <TextField
            label={words.name}
            value={form.name}
            onChange={set("name")}
            maxLength={511}
            name="name"
            required
          />
          <SelectField
            label={words.type}
            value={form.type}
            onChange={set("type")}
            options={Object.entries(words.types)}
          />
          <TextField label={words.date} type="date" value={form.date} onChange={set("date")} />
          <TextField
            label={words.countries}
            hint={words.countriesHint}
            value={form.countries}
            onChange={set("countries")}
          />
          <TextField label={words.document} value={form.document} onChange={set("document")} />
        </div>
        <div>
          <Button
            type="submit"
            kind="primary"
            disabled={searching.isPending || form.name.trim() === "" || form.merchantId === ""}
          >
            {searching.isPending ? words.running : words.run}
          </Button>
        </div>
      </form>
      {searching.isError ? <ProblemNotice error={searching.error} /> : null}
      {searching.data?.screening === undefined ? null : (
        <Found screening={searching.data.screening} />
      )}
    </Page>
  );
}

/** Selects a merchant. Every screening belongs to a merchant and is listed under that merchant. */
function MerchantField(props: { value: string; onChange: (id: string) => void }) {
  const { data } = useQuery(merchantsQuery);
  const options = data?.items.map(({ id, name }) => [id, name || id] as const) ?? [];
  return <SelectField label={words.merchant} {...props} options={options} none="" required />;
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
        <Match key={`${hit.list}:${hit.entryUid}`} hit={hit} />
      ))}
    </Section>
  );
}

function Match({ hit }: { hit: Hit }) {
  return (
    <article className="card">
      <ListedSide hit={hit} />
      <ListedEntry hit={hit} />
      <details>
        <summary>{operatorTexts.compliance.alert.score}</summary>
        <Score hit={hit} />
      </details>
    </article>
  );
}
