import { callGroups } from "@disburse/commands/commands/all.ts";
import { changes } from "@disburse/commands/table/command.ts";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { actionsOf, uploadsOf } from "./call.ts";
import { sentence, slugOf, titleOf } from "./rules/form.ts";

const words = operatorTexts.operators;

/** Everything that a person's roles permit: the actions first, then what can be read. */
export function Actions() {
  const [text, setText] = useState("");
  const wanted = text.toLowerCase().split(/\s+/);
  const session = useSession();
  const actions = [...actionsOf(session), ...uploadsOf(session)].filter(({ name, summary }) =>
    wanted.every((word) => `${name} ${summary}`.toLowerCase().includes(word)),
  );
  const groups = callGroups.flatMap(({ name, summary }) => {
    const own = actions.filter((each) => each.name.split(" ")[0] === name);
    const changing = own.filter(changes);
    const reading = own.filter((each) => !changes(each));
    return own.length === 0 ? [] : [{ name, summary, own: [...changing, ...reading] }];
  });
  return (
    <Page lead={words.lead}>
      <TextField label={words.find} type="search" value={text} onChange={setText} />
      {groups.length === 0 ? <Notice tone="info">{t.states.nothingMatches}</Notice> : null}
      {groups.map(({ name, summary, own }) => (
        <Section key={name} title={titleOf(name)}>
          <p className="soft">{sentence(summary)}</p>
          <ul className="cards">
            {own.map((command) => (
              <li key={command.name} className="card">
                <Link to="/actions/$action" params={{ action: slugOf(command) }}>
                  {sentence(command.summary)}
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </Page>
  );
}
