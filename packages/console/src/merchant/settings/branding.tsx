import type { MerchantProfile } from "@disburse/sdk/gen/types.ts";
import { useState } from "react";
import { profilePath } from "../../api/lists.ts";
import { post, send } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FileField } from "../../ui/field.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { Section } from "../../ui/page.tsx";

const words = settingsTexts.branding;
const logoPath = `${profilePath}/logo`;

export function Branding({ profile, mayChange }: { profile: MerchantProfile; mayChange: boolean }) {
  const { logo, color } = profile;
  const [png, setPng] = useState("");
  const read = async (file: File | undefined) =>
    setPng(file ? new Uint8Array(await file.arrayBuffer()).toBase64() : "");
  const buttons = (
    <div className="row">
      <ConfirmButton
        label={words.set}
        text={words.setText}
        kind="plain"
        isReady={png !== ""}
        confirm={(key) => post(logoPath, { png }, key).then(() => setPng(""))}
      >
        <FileField
          label={words.image}
          hint={words.imageHint}
          accept="image/png"
          onChange={(file) => void read(file)}
        />
        {png === "" ? null : <Logo source={`data:image/png;base64,${png}`} />}
      </ConfirmButton>
      {logo === undefined ? null : (
        <ConfirmButton
          label={words.remove}
          text={words.removeText}
          confirm={() => send("DELETE", logoPath)}
        />
      )}
      <FormButton
        label={words.setColor}
        text={words.setColorText}
        kind="plain"
        initial={{ color }}
        fields={[{ name: "color", label: words.color, hint: words.colorHint, maxLength: 7 }]}
        isReady={(typed) => typed.color !== color}
        send={(body, idempotencyKey) => send("PATCH", profilePath, { body, idempotencyKey })}
      >
        {(typed) => <Sample color={typed.color} />}
      </FormButton>
    </div>
  );
  return (
    <Section title={words.title} actions={mayChange ? buttons : undefined}>
      <p className="soft">{words.lead}</p>
      <div className="card row">
        {logo === undefined ? (
          <span>{words.none}</span>
        ) : (
          <Logo key={logo.sha256} source={`${logoPath}.png`} />
        )}
        <Sample color={color} />
        <span className="mono">{color}</span>
      </div>
    </Section>
  );
}

const Logo = ({ source }: { source: string }) => (
  <img className="logo" src={source} alt={words.logo} />
);

/** An attribute of SVG, because the page's policy allows no style of an element. */
function Sample({ color }: { color: string }) {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return null;
  return (
    <svg width="24" height="24" aria-hidden="true">
      <rect width="24" height="24" rx="4" fill={color} />
    </svg>
  );
}
