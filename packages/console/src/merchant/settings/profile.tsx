import type { MerchantProfile } from "@disburse/sdk/gen/types.ts";
import { profilePath } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { Section } from "../../ui/page.tsx";
import { countries, countryName } from "../rules/country.ts";

const words = settingsTexts.profile;
type Name = keyof typeof words.fields;
const fields = Object.entries(words.fields) as [Name, string][];

export function Profile({ profile, mayChange }: { profile: MerchantProfile; mayChange: boolean }) {
  const own = Object.fromEntries(fields.map(([name]) => [name, profile[name]]));
  const shown = (name: Name) =>
    name === "country_code" ? countryName(profile[name]) : profile[name];
  return (
    <Section
      title={words.title}
      actions={
        mayChange ? (
          <FormButton
            label={words.change}
            text={words.changeText}
            kind="plain"
            initial={own as Record<Name, string>}
            fields={fields.map(([name, label]) =>
              name === "country_code"
                ? { name, label, none: t.states.none, options: countries }
                : { name, label, maxLength: 255 },
            )}
            isReady={(_, changed) => Object.keys(changed).length > 0}
            send={(_, idempotencyKey, body) => send("PATCH", profilePath, { body, idempotencyKey })}
          />
        ) : undefined
      }
    >
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
