import type { MerchantProfile } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { profilePath } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { countries, countryName } from "../rules/country.ts";

const words = settingsTexts.profile;
const fields = Object.entries(words.fields) as [keyof typeof words.fields, string][];

export function Profile({ profile, mayChange }: { profile: MerchantProfile; mayChange: boolean }) {
  const shown = (name: (typeof fields)[number][0]) =>
    name === "country_code" ? countryName(profile[name]) : profile[name];
  return (
    <Section title={words.title} actions={mayChange ? <Change profile={profile} /> : undefined}>
      <div className="card stack">
        <Facts
          rows={[
            [words.name, profile.name],
            ...fields.map(([name, label]) => [label, shown(name)] as const),
          ]}
        />
        <p className="soft small">{words.verified}</p>
      </div>
    </Section>
  );
}

function Change({ profile }: { profile: MerchantProfile }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Partial<Record<keyof typeof words.fields, string>>>({});
  const change = async (idempotencyKey: string) => {
    await send("PATCH", profilePath, { body: typed, idempotencyKey });
    setTyped({});
    await client.invalidateQueries({ queryKey: [profilePath] });
  };
  return (
    <ConfirmButton
      label={words.change}
      text={words.changeText}
      kind="plain"
      isReady={Object.keys(typed).length > 0}
      confirm={change}
    >
      {fields.map(([name, label]) => {
        const own = {
          label,
          value: typed[name] ?? profile[name],
          onChange: (text: string) => setTyped({ ...typed, [name]: text }),
        };
        return name === "country_code" ? (
          <SelectField key={name} {...own} none={t.states.none} options={countries} />
        ) : (
          <TextField key={name} {...own} maxLength={255} />
        );
      })}
    </ConfirmButton>
  );
}
